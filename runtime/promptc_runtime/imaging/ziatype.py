"""The ziatype: a printing-out print of palladium and lithium, in one differentiable function.

Linear light -> exposure under the sheet's spectral sensitivity -> silver response -> split tone and output gamma ->
paper. The response is `(1 - exp(-density * x)) ** (1 / gamma)`; its exponent and those of tone and output are
multiplied out, so that a pixel takes one logarithm and three exponentials.
"""

import math

import torch
from torch import Tensor

from promptc_runtime.imaging.paper import PAPERS, RGB, sheet
from promptc_runtime.imaging.transfer import to_linear

CALIBRATION: tuple[RGB, RGB, RGB] = (
    (0.80, 0.17, 0.03),
    (0.10, 0.78, 0.12),
    (0.02, 0.15, 0.83),
)
"""Linear sRGB -> the long, middle and short bands that a panchromatic negative separates."""

WHITE: RGB = (1.00, 1.00, 1.00)
"""Gain of each band for the light that the picture was seen in (D65)."""

SENSITIVITY: RGB = (0.25, 0.53, 0.22)
"""Share of each band in the exposure: a panchromatic negative that leans to blue, as printing-out papers do."""

OUTPUT_GAMMA = 1.5
"""Contrast of the finished print over its response."""

WARM, NEUTRAL, COOL = (0.88, 1.09, 1.23), (0.97, 1.04, 1.06), (1.01, 1.06, 0.96)
"""Exponents of red, green and blue at tone 1, 0 and -1: the lower one is, the more the middle tones take its colour."""

WARM_BLACK, NEUTRAL_BLACK, COOL_BLACK = (0.104, 0.068, 0.052), (0.078, 0.068, 0.066), (0.070, 0.062, 0.080)
"""The deepest tone of the metal in sRGB, at tone 1, 0 and -1."""

FLOOR = 1e-9
"""Keeps the power off its infinite slope at 0; less than half of an 8-bit step."""

BAND = 1 << 16
"""Pixels worked on at a time when no gradient is wanted: temporaries of that size stay in the cache."""


def ziatype(
    image: Tensor,
    *,
    density: float = 1.8,
    gamma: float = 2.2,
    paper: str = "cotton",
    tone: float = 0.35,
    texture: float = 1.0,
    seed: int = 0,
) -> Tensor:
    """Print `image` [..., 3, H, W], floating point sRGB in 0..1 (clamped), on a sheet of `paper`. Same shape and range.

    `tone` runs from cool (-1) to warm (1), `texture` scales the paper's relief, `seed` chooses the sheet. Raises
    ValueError for a picture without three channels or a paper that is not in `PAPERS`.
    """
    if image.dim() < 3 or image.shape[-3] != 3 or not image.is_floating_point():
        raise ValueError(
            f"a ziatype needs a float picture [..., 3, H, W], and was given {tuple(image.shape)} {image.dtype}"
        )
    if paper not in PAPERS:
        raise ValueError(f"the paper {paper} is not known; known are {', '.join(PAPERS)}")
    height, width = image.shape[-2:]
    ground = sheet(paper, height, width, seed, texture)
    coat = ground.coat.to(image.device, image.dtype)
    surface = ground.surface.to(image.device, image.dtype)
    look = (density, gamma, paper, tone)
    if image.device.type != "cpu" or (image.requires_grad and torch.is_grad_enabled()):
        return _print(image, coat, surface, *look)
    output = torch.empty_like(image, memory_format=torch.contiguous_format)
    rows = max(1, BAND // max(1, width))
    with torch.no_grad():
        for top in range(0, height, rows):
            here = slice(top, top + rows)
            output[..., here, :] = _print(image[..., here, :], coat[here], surface[here], *look)
    return output


def _print(
    image: Tensor, coat: Tensor, surface: Tensor, density: float, gamma: float, paper: str, tone: float
) -> Tensor:
    """The whole of it, pixel by pixel: [..., 3, H, W] over [H, W]."""
    red, green, blue = to_linear(image.clamp(0, 1)).unbind(-3)
    r, g, b = (
        sum(CALIBRATION[band][channel] * WHITE[band] * SENSITIVITY[band] for band in range(3)) for channel in range(3)
    )
    exposure = (red * r + green * g + blue * b) * coat
    # response(x) / response(1), in logarithms: the lightest tone is the bare paper whatever the density.
    level = (1 - (-density * exposure).exp() + FLOOR).log()
    lightest, darkest = math.log(FLOOR - math.expm1(-density)), math.log(FLOOR)
    exponents = _blend(tone, WARM, NEUTRAL, COOL)
    blacks = _blend(tone, WARM_BLACK, NEUTRAL_BLACK, COOL_BLACK)
    channels = []
    for exponent, black, white in zip(exponents, blacks, PAPERS[paper].base, strict=True):
        power = exponent * OUTPUT_GAMMA / gamma
        low = math.exp((darkest - lightest) * power)
        value = ((level - lightest) * power).exp()
        channels.append(((value - low) * ((white - black) / (1 - low)) + black) * surface)
    return torch.stack(channels, -3).clamp(0, 1)


def _blend(tone: float, warm: RGB, neutral: RGB, cool: RGB) -> RGB:
    """From `cool` at -1 over `neutral` at 0 to `warm` at 1."""
    end, share = (warm, tone) if tone >= 0 else (cool, -tone)
    first, second, third = (a + (b - a) * share for a, b in zip(neutral, end, strict=True))
    return first, second, third
