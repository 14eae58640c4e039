"""The built-in model answers the prompt."""

import colorsys

import torch

from promptc_runtime.engine import Runtime
from tests.runtime.plans import pictures

SEEDS = (1, 2, 3)


def drawn(runtime: Runtime, prompt: str) -> list[torch.Tensor]:
    plan = pictures([prompt], SEEDS, steps=10, side=128, guidance_rescale=0.7)
    return list(runtime.run(plan).images)


def color(part: torch.Tensor) -> tuple[float, float, float]:
    """Hue, saturation and value of the mean color."""
    red, green, blue = part.mean((1, 2)).tolist()
    return colorsys.rgb_to_hsv(red, green, blue)


def test_the_sky_has_the_color_that_is_asked_for(runtime: Runtime) -> None:
    for image in drawn(runtime, "a forest, red sky"):
        hue = color(image[:, :42])[0]
        assert hue < 0.1 or hue > 0.85, "red, the hue of the upper third"
    for image in drawn(runtime, "a forest, blue sky, noon"):
        assert 0.5 < color(image[:, :42])[0] < 0.75, "blue"


def test_the_night_is_darker_than_the_noon(runtime: Runtime) -> None:
    night, noon = drawn(runtime, "mountains, at night"), drawn(runtime, "mountains, noon")
    assert all(float(dark.mean()) < float(light.mean()) - 0.05 for dark, light in zip(night, noon, strict=True))


def test_a_ziatype_print_has_little_color(runtime: Runtime) -> None:
    def saturation(image: torch.Tensor) -> float:
        return float((image.amax(0) - image.amin(0)).mean())

    plain, printed = (drawn(runtime, f"{style}mountains, noon") for style in ("", "ziatype print, "))
    assert all(saturation(one) < 0.6 * saturation(other) for one, other in zip(printed, plain, strict=True))
