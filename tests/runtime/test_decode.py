"""Decoding, and encoding a picture to start from."""

from pathlib import Path
from typing import Any

import pytest
import torch

from promptc.plan.ops.decode import Decode
from promptc.plan.ops.encode_image import EncodeImage
from promptc_runtime.context import RunError
from promptc_runtime.engine import Runtime
from promptc_runtime.ops import decode, encode_image
from promptc_runtime.ops.decode import scaling
from tests.runtime.plans import denoise, pictures, plan_of, text


@pytest.mark.parametrize("tiny", [True, False])
def test_an_image_is_float_between_0_and_1(runtime: Runtime, tiny_sd: Path, tiny: bool) -> None:
    model = "landscape" if tiny else str(tiny_sd)
    image = runtime.run(pictures(["a"], model=model)).images[0]
    assert (image.dtype, tuple(image.shape)) == (torch.float32, (3, 64, 64))
    assert 0 <= float(image.min()) <= float(image.max()) <= 1


def test_sides_may_differ(runtime: Runtime) -> None:
    image = runtime.run(pictures(["a"], width=96, height=64, steps=1)).images[0]
    assert tuple(image.shape) == (3, 64, 96)


class _Context:
    """What the kernels need of a context."""

    def __init__(self, runtime: Runtime) -> None:
        self.models = runtime.models
        self.device = torch.device("cpu")
        self.notes: list[str] = []

    def model(self, name: str) -> Any:
        return self.models.load(name)

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.mark.parametrize("tiny", [True, False])
def test_a_tile_decodes_without_edges(runtime: Runtime, tiny_sd: Path, tiny: bool) -> None:
    model = "landscape" if tiny else str(tiny_sd)
    channels = runtime.models.load(model).unet.config["in_channels"]
    latents = torch.randn(channels, 8, 8, generator=torch.Generator().manual_seed(1)) * 0.2
    op = Decode(inputs=("0" * 32,), model=model, tile=True)
    context: Any = _Context(runtime)
    with torch.inference_mode():
        plain = decode.run(op, [latents], context)
        moved = decode.run(op, [latents.roll((3, 5), (1, 2))], context)
    assert torch.allclose(plain.roll((24, 40), (1, 2)), moved, atol=1e-5)


def test_the_start_is_the_mode_scaled_as_the_model_s_latents(runtime: Runtime, tiny_sd: Path) -> None:
    context: Any = _Context(runtime)
    image = torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(1))
    op = EncodeImage(inputs=("0" * 32,), model=str(tiny_sd))
    with torch.inference_mode():
        first, second = (encode_image.run(op, [image], context) for _ in range(2))
        vae: Any = runtime.models.load(str(tiny_sd)).vae
        wanted = vae.encode(image.unsqueeze(0) * 2 - 1).latent_dist.mean * vae.config.scaling_factor
    assert torch.equal(first, second), "no noise is drawn"
    assert torch.allclose(first, wanted[0], atol=1e-5)


def test_a_picture_survives_the_way_to_latents_and_back(runtime: Runtime) -> None:
    first = denoise([text("a red sky"), text("")], steps=8, side=128)
    image = Decode(inputs=(first.id,), model="landscape")
    start = EncodeImage(inputs=(image.id,), model="landscape")
    again = Decode(inputs=(start.id,), model="landscape")
    ops = [text("a red sky"), text(""), first, image]
    before = runtime.run(plan_of(*ops)).images[0]
    after = runtime.run(plan_of(*ops, start, again)).images[0]
    assert float((before - after).abs().mean()) < 0.05


@pytest.mark.parametrize("value", [float("nan"), 100.0])
def test_latents_that_are_no_picture_s_are_refused(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, value: float
) -> None:
    vae: Any = runtime.models.load("landscape").vae
    monkeypatch.setattr(vae, "encode", lambda *a, **k: (torch.full((1, 8, 8, 8), value),))
    context: Any = _Context(runtime)
    op = EncodeImage(inputs=("0" * 32,), model="landscape")
    with pytest.raises(RunError) as caught:
        encode_image.run(op, [torch.rand(3, 64, 64)], context)
    assert caught.value.name == "non-finite-reference"


def test_a_decoder_that_overflows_is_run_again_in_full_precision() -> None:
    notes: list[str] = []
    with Runtime("cpu", None, "bfloat16", notes.append) as half:
        vae: Any = half.models.load("landscape").vae
        real = vae.decode
        vae.decode = lambda *a, **k: (real(*a, **k)[0] * float("inf"),)
        image = half.run(pictures(["a red sky"])).images[0]
    assert "once more in float32" in notes[0]
    assert float(image.std()) > 0


def test_scaling_and_shift_are_the_autoencoder_s() -> None:
    from types import SimpleNamespace

    assert scaling(SimpleNamespace(scaling_factor=0.5, shift_factor=0.1)) == (0.5, 0.1)
    assert scaling(SimpleNamespace(scaling_factor=0.5, shift_factor=None)) == (0.5, 0.0)
    assert scaling(SimpleNamespace()) == (1.0, 0.0)
