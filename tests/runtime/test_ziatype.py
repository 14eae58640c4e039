"""The print: its response, its papers, its gradients, and that the fast path is the same function."""

import math

import pytest
import torch

from promptc.plan.ops.ziatype import Paper, Ziatype
from promptc_runtime.imaging.paper import PAPERS, _kept, sheet
from promptc_runtime.imaging.resize import resize
from promptc_runtime.imaging.transfer import to_linear
from promptc_runtime.imaging.ziatype import (
    CALIBRATION,
    NEUTRAL,
    NEUTRAL_BLACK,
    OUTPUT_GAMMA,
    SENSITIVITY,
    WHITE,
    ziatype,
)
from promptc_runtime.ops import ziatype as kernel

RAMP = torch.linspace(0, 1, 256).expand(3, 4, 256)


def noise(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


def chain(image: torch.Tensor, density: float, gamma: float) -> torch.Tensor:
    """The print on smooth paper without texture, at tone 0, as separate steps: what the fused function must equal."""
    bands = torch.einsum("bc,chw->bhw", torch.tensor(CALIBRATION, dtype=image.dtype), to_linear(image))
    balanced = bands * torch.tensor(WHITE, dtype=image.dtype).reshape(3, 1, 1)
    exposure = torch.einsum("b,bhw->hw", torch.tensor(SENSITIVITY, dtype=image.dtype), balanced)
    response = (1 - torch.exp(-density * exposure)) ** (1 / gamma)
    level = response / (1 - math.exp(-density)) ** (1 / gamma)
    base, black = PAPERS["smooth"].base, NEUTRAL_BLACK
    toned = [level ** (NEUTRAL[c] * OUTPUT_GAMMA) * (base[c] - black[c]) + black[c] for c in range(3)]
    return torch.stack(toned).clamp(0, 1)


@pytest.mark.parametrize(("density", "gamma"), [(1.8, 2.2), (0.5, 1.0), (6.0, 3.0)])
def test_the_fused_print_is_the_chain_of_its_steps(density: float, gamma: float) -> None:
    image = torch.cat([noise(3, 6, 256), RAMP], dim=1).double()
    found = ziatype(image, density=density, gamma=gamma, paper="smooth", tone=0.0, texture=0.0)
    assert torch.allclose(found, chain(image, density, gamma), atol=0.5 / 255)


def test_black_prints_dark_and_white_prints_the_bare_paper() -> None:
    for name, paper in PAPERS.items():
        print_ = ziatype(RAMP, paper=name, texture=0.0)
        assert print_[:, 0, 0].max() < 0.12
        assert torch.allclose(print_[:, 0, -1], torch.tensor(paper.base), atol=0.005)
        assert (print_[:, 0].diff(dim=-1) > -1e-6).all(), "a lighter tone never prints darker"


def test_highlights_have_a_soft_shoulder() -> None:
    tones = ziatype(RAMP, texture=0.0)[1, 0]
    assert tones[255] - tones[230] < 0.6 * (tones[140] - tones[115])


def test_the_print_has_one_ink() -> None:
    """Two colours of the same exposure are the same tone, whatever their hue."""
    red = torch.tensor([0.8, 0.1, 0.1]).reshape(3, 1, 1).expand(3, 2, 2)
    print_ = ziatype(red, texture=0.0)[:, 0, 0]
    ramp = ziatype(RAMP, texture=0.0)[:, 0]
    nearest = ramp[:, (ramp[1] - print_[1]).abs().argmin()]
    assert torch.allclose(nearest, print_, atol=0.01)


def test_blue_prints_lighter_than_red_of_equal_luminance() -> None:
    blue, red = (torch.tensor(rgb).reshape(3, 1, 1).expand(3, 2, 2) for rgb in ((0.0, 0.0, 0.99), (0.573, 0.0, 0.0)))
    assert ziatype(blue, texture=0.0).mean() > ziatype(red, texture=0.0).mean()


def test_tone_goes_from_cool_to_warm() -> None:
    warmth = [float((p[0] - p[2]).mean()) for tone in (-1.0, 0.0, 1.0) if (p := ziatype(RAMP, tone=tone)) is not None]
    assert warmth == sorted(warmth)
    assert warmth[2] > warmth[0] + 0.05


def test_denser_prints_are_lighter_in_the_shadows() -> None:
    thin, dense = (ziatype(RAMP, density=density, texture=0.0)[:, 0, 60].mean() for density in (0.5, 5.0))
    assert dense > thin


@pytest.mark.parametrize("paper", PAPERS)
def test_the_gradient_is_right_everywhere(paper: Paper) -> None:
    image = noise(1, 3, 4, 5).double().mul(0.9).add(0.05).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: ziatype(x, paper=paper, seed=3), (image,))


@pytest.mark.parametrize("value", [0.0, 1e-8, 0.04045, 1.0])
def test_the_gradient_is_finite_at_the_ends(value: float) -> None:
    image = torch.full((3, 2, 2), value, requires_grad=True)
    (gradient,) = torch.autograd.grad(ziatype(image).sum(), image)
    assert torch.isfinite(gradient).all()


def test_a_sheet_of_a_run_can_take_part_in_a_gradient() -> None:
    with torch.inference_mode():
        ziatype(torch.zeros(3, 5, 6), seed=99)
    image = torch.full((3, 5, 6), 0.5, requires_grad=True)
    (gradient,) = torch.autograd.grad(ziatype(image, seed=99).sum(), image)
    assert (gradient > 0).all()


def test_with_and_without_gradient_is_the_same_print() -> None:
    image = noise(3, 90, 700)
    fast = ziatype(image)
    whole = ziatype(image.clone().requires_grad_())
    assert torch.allclose(fast, whole.detach(), atol=1e-6)
    assert torch.equal(fast, ziatype(image)), "two prints are equal to the last bit"


def test_a_batch_prints_each_picture_alone() -> None:
    batch = noise(2, 3, 40, 30)
    together = ziatype(batch)
    assert together.shape == batch.shape
    assert torch.allclose(together[1], ziatype(batch[1]), atol=1e-6)


def test_the_input_is_left_alone() -> None:
    image = noise(3, 8, 8)
    before = image.clone()
    ziatype(image)
    assert torch.equal(image, before)


def test_values_out_of_range_are_clamped() -> None:
    wild = torch.tensor([-1.0, 2.0]).expand(3, 1, 2)
    assert torch.equal(ziatype(wild), ziatype(wild.clamp(0, 1)))


@pytest.mark.parametrize("name", PAPERS)
def test_a_sheet_is_fixed_by_its_seed(name: str) -> None:
    first = sheet(name, 96, 64, 7).coat.clone()
    _kept.cache_clear()
    assert torch.equal(sheet(name, 96, 64, 7).coat, first)
    assert not torch.equal(sheet(name, 96, 64, 8).coat, first)


@pytest.mark.parametrize("name", PAPERS)
def test_a_sheet_is_the_same_at_every_resolution(name: str) -> None:
    small, large = sheet(name, 64, 64, 1).coat, sheet(name, 256, 256, 1).coat
    shrunk = torch.nn.functional.avg_pool2d(large[None, None], 4)[0, 0]
    assert float(torch.corrcoef(torch.stack([small.flatten(), shrunk.flatten()]))[0, 1]) > 0.8


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (300, 7), (33, 128)])
def test_sheets_of_every_shape(size: tuple[int, int]) -> None:
    ground = sheet("cotton", *size, 0)
    assert ground.coat.shape == ground.surface.shape == size
    assert torch.isfinite(ground.coat).all()


def test_texture_is_subtle_and_can_be_off() -> None:
    grey = torch.full((3, 128, 128), 0.5)
    assert 0.002 < float(ziatype(grey).std(dim=(1, 2)).mean()) < 0.05
    assert float(ziatype(grey, texture=0.0).std(dim=(1, 2)).max()) < 1e-6


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(ValueError, match=r"float picture \[\.\.\., 3, H, W\]"):
        ziatype(torch.zeros(4, 8, 8))
    with pytest.raises(ValueError, match="the paper birch is not known; known are cotton, vellum, smooth"):
        ziatype(RAMP, paper="birch")


def test_the_kernel_is_the_function() -> None:
    image = noise(3, 20, 24)
    op = Ziatype(inputs=("0" * 32,), density=2.5, gamma=2.0, paper="vellum", tone=-0.5, texture=0.7, seed=11)
    found = kernel.run(op, [image], None)  # type: ignore[arg-type]  # the kernel needs nothing of the run
    expected = ziatype(image, density=2.5, gamma=2.0, paper="vellum", tone=-0.5, texture=0.7, seed=11)
    assert torch.equal(found, expected)


def test_every_paper_of_the_plan_is_there() -> None:
    assert set(Paper.__args__) == set(PAPERS)  # type: ignore[attr-defined]


def test_a_print_shrinks_to_a_smaller_print() -> None:
    """Printing, then scaling gives nearly what scaling, then printing does: the texture is the sheet's, not the pixels'."""
    image = resize(noise(3, 8, 8), 256, 256)
    after, before = resize(ziatype(image), 64, 64), ziatype(resize(image, 64, 64))
    assert float((after - before).abs().mean()) < 0.02
