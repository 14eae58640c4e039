"""Scaling: exact sizes, light kept, range kept."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc_runtime.imaging.resize import fit, resize
from promptc_runtime.imaging.transfer import to_linear, to_srgb

SIDE = st.integers(1, 40)


@settings(max_examples=40, deadline=None)
@given(SIDE, SIDE, SIDE, SIDE)
def test_the_size_is_exact_and_the_range_kept(old_width: int, old_height: int, width: int, height: int) -> None:
    image = torch.rand(3, old_height, old_width, generator=torch.Generator().manual_seed(0))
    found = resize(image, width, height)
    assert found.shape == (3, height, width)
    assert float(found.min()) >= 0
    assert float(found.max()) <= 1


@pytest.mark.parametrize("size", [(7, 5), (64, 64), (3, 200), (50, 25)])
def test_a_flat_picture_stays_flat(size: tuple[int, int]) -> None:
    found = resize(torch.full((2, 3, 50, 50), 0.3), *size)
    assert torch.allclose(found, torch.full_like(found, 0.3), atol=1e-5)


def test_black_and_white_lines_keep_their_light() -> None:
    lines = torch.tensor([0.0, 1.0]).repeat(8).expand(3, 16, 16)
    assert torch.allclose(resize(lines, 8, 8), to_srgb(torch.tensor(0.5)).expand(3, 8, 8), atol=1e-5)


def test_a_whole_ratio_is_the_mean_of_its_box() -> None:
    image = torch.rand(3, 12, 8, generator=torch.Generator().manual_seed(1))
    expected = to_srgb(to_linear(image).reshape(3, 4, 3, 4, 2).mean(dim=(2, 4)))
    assert torch.allclose(resize(image, 4, 4), expected, atol=1e-5)


def test_the_same_size_is_the_same_picture() -> None:
    image = torch.rand(3, 9, 9)
    assert torch.equal(resize(image, 9, 9), image)


def test_the_transfer_curve_goes_both_ways() -> None:
    values = torch.linspace(0, 1, 1001, dtype=torch.float64)
    assert torch.allclose(to_srgb(to_linear(values)), values, atol=1e-6)
    assert to_linear(torch.tensor(0.5, dtype=torch.float64)).item() == pytest.approx(0.21404, abs=1e-5)


def test_fit_crops_around_the_centre() -> None:
    image = torch.zeros(3, 10, 30)
    image[:, :, 10:20] = 1
    assert torch.equal(fit(image, 10, 10), torch.ones(3, 10, 10))
    assert fit(torch.zeros(3, 17, 31), 64, 48).shape == (3, 48, 64)


def test_no_size_is_refused() -> None:
    with pytest.raises(ValueError, match="0x4 has no pixels"):
        resize(torch.zeros(3, 4, 4), 0, 4)
