"""Papers to print on: a table of their looks, and a seeded sheet of each.

A sheet is a pyramid of noise over a square as long as the picture's long side, so the same seed gives the same sheet
at every resolution: a larger picture only shows finer tooth. Noise is drawn on the CPU.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, interpolate, pad

RGB = tuple[float, float, float]

COARSEST = 8
LEVELS = tuple(COARSEST * 2**n for n in range(8))
"""Cells along the long side, from the slowest cloud to the finest tooth."""

FAINTEST = 0.03
"""Levels with a smaller share are not drawn."""

KEPT_PIXELS = 1 << 22
"""Sheets up to this size are kept for the next picture."""


@dataclass(frozen=True, slots=True)
class Paper:
    """How a paper looks. `base` is the bare sheet's sRGB colour; amplitudes are fractions of reflectance or coating.

    `cloud` is slow unevenness of the coating, `tooth` its fine one, `relief` the shading of its surface under a low
    light. `grain` is the wavelength that dominates tooth and relief, in cells along the long side. `fibres` is their
    number on a square sheet, and `fibre` how much darker or lighter they are.
    """

    base: RGB
    cloud: float
    tooth: float
    relief: float
    grain: float
    fibres: int
    fibre: float


PAPERS: dict[str, Paper] = {
    "cotton": Paper((0.962, 0.943, 0.902), cloud=0.035, tooth=0.050, relief=0.016, grain=300, fibres=700, fibre=0.040),
    "vellum": Paper((0.949, 0.921, 0.856), cloud=0.070, tooth=0.018, relief=0.006, grain=120, fibres=160, fibre=0.022),
    "smooth": Paper((0.972, 0.961, 0.936), cloud=0.018, tooth=0.014, relief=0.005, grain=500, fibres=0, fibre=0.0),
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet under one picture: `coat` scales exposure, `surface` reflectance. Both [H, W], float32, near 1."""

    coat: Tensor
    surface: Tensor


def sheet(name: str, height: int, width: int, seed: int, texture: float = 1.0) -> Sheet:
    """The sheet of paper `name` under a picture of this size. Treat the result as read-only: it may be shared.

    Raises KeyError for an unknown paper.
    """
    make = _kept if height * width <= KEPT_PIXELS else _make
    return make(name, height, width, seed, texture)


@torch.inference_mode(False)  # a sheet that a run made can later take part in a gradient
@torch.no_grad()
def _make(name: str, height: int, width: int, seed: int, texture: float) -> Sheet:
    paper = PAPERS[name]
    (cloud,) = _noise(1, lambda cells: COARSEST / cells, height, width, _mix(seed, 1))
    tooth, relief = _noise(2, lambda cells: _peak(cells, paper.grain), height, width, _mix(seed, 2))
    coat = cloud.mul_(paper.cloud).add_(tooth, alpha=paper.tooth)
    surface = relief.mul_(paper.relief)
    if paper.fibres:
        surface += _fibres(paper, height, width, _mix(seed, 3)) * paper.fibre
    return Sheet(
        coat.mul_(texture).add_(1).clamp_(0.05),
        surface.mul_(texture).add_(1).clamp_(0.5, 1.5),
    )


_kept = lru_cache(maxsize=4)(_make)


def _noise(maps: int, weight: Callable[[int], float], height: int, width: int, seed: int) -> Tensor:
    """[maps, H, W], each of mean 0 and about unit variance at full resolution; `weight` is the share of each level."""
    long = max(height, width)
    shares = {cells: share for cells in LEVELS if (share := weight(cells)) > FAINTEST}
    field = torch.zeros(1, maps, 1, 1)
    for cells, share in shares.items():
        if cells > max(long, COARSEST):
            break
        # The whole square is drawn, then cut: portrait and landscape share a sheet.
        generator = torch.Generator().manual_seed(_mix(seed, cells))
        level = torch.rand(maps, cells, cells, generator=generator)
        level = level[:, : math.ceil(cells * height / long), : math.ceil(cells * width / long)].sub(0.5)
        # Uniform noise has a variance of 1/12; the levels together look normal.
        field = _scale(field, level.shape[-2], level.shape[-1]) + level[None] * (share * math.sqrt(12))
    # Levels too fine for this size count as well, or small pictures would get a louder sheet.
    return _scale(field, height, width)[0] / math.sqrt(sum(share**2 for share in shares.values()))


def _peak(cells: int, grain: float) -> float:
    """The share of a level in tooth and relief: all but a few octaves around the grain are faint."""
    return math.exp(-(math.log2(cells / grain) ** 2) / 2.5)


def _scale(field: Tensor, height: int, width: int) -> Tensor:
    if field.shape[-2:] == (1, 1):
        return field.expand(-1, -1, height, width)
    if field.shape[-2:] == (height, width):
        return field
    return interpolate(field, size=(height, width), mode="bicubic", align_corners=False)


def _fibres(paper: Paper, height: int, width: int, seed: int) -> Tensor:
    """[H, W]: short curved fibres, 1 where one lies on top and -1 where one is pressed in."""
    long = max(height, width)
    generator = torch.Generator().manual_seed(seed)
    count, steps = paper.fibres, max(16, long // 24)
    start, turn, angle, length, sign = (
        torch.rand(2, count, 1, generator=generator),
        torch.randn(count, 1, generator=generator) * 1.2,
        torch.rand(count, 1, generator=generator) * (2 * math.pi),
        (0.006 + 0.022 * torch.rand(count, 1, generator=generator)),
        torch.where(torch.rand(count, 1, generator=generator) < 0.6, -1.0, 1.0),
    )
    along = torch.linspace(0, 1, steps)[None]
    heading = angle + turn * along
    step = length / steps
    x = (start[0] + torch.cumsum(heading.cos() * step, 1)) * long - 0.5
    y = (start[1] + torch.cumsum(heading.sin() * step, 1)) * long - 0.5
    # A fibre is about 1/1600 of the sheet wide, and never thinner than a pixel can show.
    ink = (sign * (1 - (2 * along - 1) ** 4) * (length * long / steps)).expand(count, steps)
    canvas = torch.zeros(long + 3, long + 3)
    left, top = x.floor(), y.floor()
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        share = (1 - (x - left - dx).abs()) * (1 - (y - top - dy).abs())
        column, row = (left + dx + 1).long().clamp(0, long + 2), (top + dy + 1).long().clamp(0, long + 2)
        canvas.view(-1).index_add_(0, (row * (long + 3) + column).reshape(-1), (share * ink).reshape(-1))
    radius = round(long / 3200)
    if radius:
        side = 2 * radius + 1
        canvas = avg_pool2d(pad(canvas[None, None], [radius] * 4, mode="replicate"), side, stride=1)[0, 0]
    return canvas[1 : height + 1, 1 : width + 1].clamp(-1, 1)


def _mix(seed: int, part: int) -> int:
    """A seed for one part of a sheet; the multiplier is odd, so different seeds stay different."""
    return (seed * 0x9E3779B97F4A7C15 + part) % 2**63
