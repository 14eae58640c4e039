"""Draws the scenes that the embedded model is trained on: `draw(facts, seed)` is the same picture everywhere.

Pictures are drawn at twice their size and reduced, so that every edge is smooth; lines and dots are at least two pixels
wide in the result, because an autoencoder of half a million parameters cannot keep thinner ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from landscape.facts import Facts, caption, choose

Color = tuple[int, int, int]
Point = tuple[float, float]
Pixels = NDArray[np.float32]
Draw = ImageDraw.ImageDraw

PALETTE: dict[str, Color] = {
    "red": (210, 44, 40),
    "orange": (236, 126, 36),
    "yellow": (244, 208, 58),
    "green": (52, 156, 66),
    "blue": (44, 92, 200),
    "purple": (130, 64, 170),
    "pink": (240, 138, 176),
    "white": (242, 240, 234),
    "black": (30, 28, 32),
    "brown": (124, 80, 46),
}
SKY: dict[str, tuple[Color, Color]] = {  # at the top, at the horizon
    "dawn": ((120, 140, 190), (250, 200, 170)),
    "noon": ((70, 140, 220), (190, 222, 245)),
    "sunset": ((84, 52, 110), (250, 130, 60)),
    "dusk": ((40, 44, 92), (150, 110, 150)),
    "night": ((8, 10, 30), (30, 40, 80)),
}
LIGHT = {"dawn": 0.9, "noon": 1.05, "sunset": 0.75, "dusk": 0.6, "night": 0.4}
GROUND: dict[str, Color] = {
    "mountains": (84, 96, 120),
    "snowy mountains": (120, 134, 158),
    "hills": (86, 140, 76),
    "dunes": (214, 172, 108),
    "sea": (38, 92, 140),
    "forest": (38, 84, 56),
}
PLACE = {"left": 0.22, "center": 0.5, "right": 0.78}
WOOD, CREAM, LAMP, TYRE = (96, 64, 44), (242, 240, 234), (255, 232, 140), (30, 30, 32)


def mix(a: Color, b: Color, share: float) -> Color:
    """`a` moved towards `b`."""
    return (int(a[0] + (b[0] - a[0]) * share), int(a[1] + (b[1] - a[1]) * share), int(a[2] + (b[2] - a[2]) * share))


def shade(color: Color, factor: float) -> Color:
    """A colour made darker or lighter."""
    return (min(255, int(color[0] * factor)), min(255, int(color[1] * factor)), min(255, int(color[2] * factor)))


class Canvas:
    """The drawing at twice its size, with what every part needs to know about it."""

    def __init__(self, facts: Facts, rng: Random, width: int, height: int) -> None:
        self.facts, self.rng = facts, rng
        self.width, self.height = 2 * width, 2 * height
        self.unit = min(self.width, self.height) / 256
        top, bottom = SKY[facts.time]
        if facts.sky:
            top, bottom = mix(top, PALETTE[facts.sky], 0.5), mix(bottom, PALETTE[facts.sky], 0.8)
        self.horizon = bottom
        self.light = LIGHT[facts.time]
        ramp = np.linspace(0, 1, self.height)[:, None, None] ** rng.uniform(0.7, 1.3)
        sky = np.array(top) * (1 - ramp) + np.array(bottom) * ramp
        sky = np.broadcast_to(sky, (self.height, self.width, 3)).astype(np.uint8)
        self.image = Image.fromarray(sky.copy())
        self.draw: Draw = ImageDraw.Draw(self.image)

    def disc(self, x: float, y: float, radius: float, color: Color) -> None:
        self.draw.ellipse([x - radius, y - radius, x + radius, y + radius], fill=color)

    def slope(self, ys: NDArray[np.float64], color: Color) -> None:
        """Fills all below a line of heights (one a column)."""
        points = [(float(x), float(ys[x])) for x in range(0, self.width, 2)]
        base = float(self.height)
        self.draw.polygon(
            [(0.0, base), *points, (float(self.width), points[-1][1]), (float(self.width), base)], fill=color
        )

    def ridge(self, base: float, swing: float, octaves: int) -> NDArray[np.float64]:
        """A smooth line of heights around `base` (share of the height)."""
        xs = np.linspace(0, self.width / self.height, self.width)
        ys = np.zeros(self.width)
        pace, size = self.rng.uniform(1.0, 2.0), swing
        for _ in range(octaves):
            ys += size * np.sin(2 * math.pi * (pace * xs + self.rng.random()))
            pace, size = pace * 2.1, size * 0.5
        line: NDArray[np.float64] = np.clip(base + ys, 0.05, 0.98) * self.height
        return line


# --- sky -------------------------------------------------------------------------------------------------------------


def stars(c: Canvas) -> None:
    for _ in range(c.rng.randint(16, 32)):
        x, y = c.rng.uniform(0, c.width), c.rng.uniform(0, 0.5) * c.height
        c.disc(x, y, c.rng.uniform(1.6, 2.6), (250, 250, 240))


def orb(c: Canvas) -> float:
    """The sun (a disc with a glow) or the moon (a crescent); returns its x."""
    f, rng = c.facts, c.rng
    radius = {"": 21.0, "large": 34.0, "small": 12.0}[f.orb_size] * rng.uniform(0.92, 1.08) * c.unit
    x = PLACE[f.orb_side] * c.width + rng.uniform(-8, 8) * c.unit
    y = max(rng.uniform(0.14, 0.28) * c.height, radius + 4)
    if f.orb == "sun":
        color = (255, 176, 80) if f.time == "sunset" else (255, 226, 120)
        glow = Image.new("L", c.image.size)
        halo = radius * 1.5
        ImageDraw.Draw(glow).ellipse([x - halo, y - halo, x + halo, y + halo], fill=90)
        c.image.paste(Image.new("RGB", c.image.size, color), (0, 0), glow)
        c.draw = ImageDraw.Draw(c.image)
        c.disc(x, y, radius, color)
    else:
        behind = c.image.copy()
        c.disc(x, y, radius, (244, 240, 220))
        bite = Image.new("L", c.image.size)
        bx, by, br = x + 0.5 * radius, y - 0.15 * radius, 0.85 * radius
        ImageDraw.Draw(bite).ellipse([bx - br, by - br, bx + br, by + br], fill=255)
        c.image.paste(behind, (0, 0), bite)
        c.draw = ImageDraw.Draw(c.image)
    return x


def clouds(c: Canvas, taken: float | None) -> None:
    """Two or three clouds, none before the sun or the moon."""
    layer = Image.new("RGBA", c.image.size)
    pen = ImageDraw.Draw(layer)
    tint = mix((250, 250, 250), c.horizon, 0.35)
    free = [s for s in (0.12, 0.35, 0.62, 0.88) if taken is None or abs(s * c.width - taken) > 0.24 * c.width]
    c.rng.shuffle(free)
    for share in free[:3]:
        cx, cy = share * c.width, c.rng.uniform(0.1, 0.32) * c.height
        for _ in range(5):
            r = c.rng.uniform(10, 17) * c.unit
            x, y = cx + c.rng.uniform(-26, 26) * c.unit, cy + c.rng.uniform(-5, 5) * c.unit
            pen.ellipse([x - 1.6 * r, y - r, x + 1.6 * r, y + r], fill=(*tint, 225))
    c.image.paste(layer, (0, 0), layer)
    c.draw = ImageDraw.Draw(c.image)


# --- land: each draws itself and returns the height (share) on which things stand -----------------------------------


def mountains(c: Canvas) -> float:
    color = shade(GROUND[c.facts.terrain], c.light)
    snow = shade((244, 246, 250), max(0.55, c.light))
    for row, (base, swing) in enumerate(((0.50, 0.09), (0.60, 0.06))):
        peaks: list[Point] = []
        x = -20.0
        while x < c.width + 60:
            low = 0.0 if len(peaks) % 2 else 54.0 * c.unit
            peaks.append((x, (base + c.rng.uniform(-swing, swing)) * c.height + low))
            x += c.rng.uniform(26, 50) * c.unit
        base_line: list[Point] = [(peaks[-1][0], float(c.height)), (-20.0, float(c.height))]
        c.draw.polygon(peaks + base_line, fill=mix(color, c.horizon, 0.35 - 0.25 * row))
        if c.facts.terrain == "snowy mountains":
            for left, peak, right in zip(peaks, peaks[1:], peaks[2:], strict=False):
                if peak[1] < left[1] and peak[1] < right[1]:
                    a = (peak[0] + (left[0] - peak[0]) * 0.42, peak[1] + (left[1] - peak[1]) * 0.42)
                    b = (peak[0] + (right[0] - peak[0]) * 0.42, peak[1] + (right[1] - peak[1]) * 0.42)
                    notch = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 6 * c.unit)
                    c.draw.polygon([peak, a, notch, b], fill=snow)
    c.slope(c.ridge(0.78, 0.015, 2), shade(color, 0.6))
    return 0.84


def hills(c: Canvas) -> float:
    color = shade(GROUND[c.facts.terrain], c.light)
    octaves = 2 if c.facts.terrain == "hills" else 1
    for row, base in enumerate((0.58, 0.68, 0.80)):
        c.slope(c.ridge(base, 0.045, octaves), mix(shade(color, 1 - 0.14 * row), c.horizon, 0.3 - 0.15 * row))
    return 0.86


def sea(c: Canvas) -> float:
    color = shade(GROUND["sea"], c.light)
    c.draw.rectangle([0, 0.6 * c.height, c.width, c.height], fill=color)
    crest = mix(color, c.horizon, 0.4)
    for _ in range(round(22 * c.width / c.height)):
        x, y = c.rng.uniform(0, c.width), c.rng.uniform(0.63, 0.98) * c.height
        c.draw.line([x, y, x + c.rng.uniform(14, 34) * c.unit, y], fill=crest, width=4)
    return 0.80


def forest(c: Canvas) -> float:
    color = shade(GROUND["forest"], c.light)
    c.slope(c.ridge(0.64, 0.02, 2), mix(color, c.horizon, 0.3))
    for base, factor in ((0.70, 1.0), (0.80, 0.7)):
        foot = base * c.height + 12 * c.unit
        x = -5.0
        while x < c.width + 12:
            tall, half = c.rng.uniform(28, 50) * c.unit, 13 * c.unit
            c.draw.polygon([(x - half, foot), (x + half, foot), (x, foot - tall)], fill=shade(color, factor))
            x += c.rng.uniform(13, 22) * c.unit
        c.draw.rectangle([0, foot - 2, c.width, c.height], fill=shade(color, factor))
    return 0.90


LAND: dict[str, Callable[[Canvas], float]] = {
    "mountains": mountains,
    "snowy mountains": mountains,
    "hills": hills,
    "dunes": hills,
    "sea": sea,
    "forest": forest,
}


# --- things: shapes in units of their size, y downwards, standing on y = 0 ------------------------------------------

Part = tuple[str, Sequence[float], str]
"""Kind of shape, its numbers, and its colour: `main`, `dark`, `wood`, `cream`, `lamp` or `tyre`."""


def _tree() -> list[Part]:
    parts: list[Part] = [("box", (-0.2, -0.8, 0.2, 0), "wood")]
    for k in range(3):
        half, foot = 1.15 - 0.27 * k, -0.6 - 0.65 * k
        parts.append(("poly", (-half, foot, half, foot, 0, foot - 1.1), "dark" if k == 1 else "main"))
    return parts


THINGS: dict[str, list[Part]] = {
    "cabin": [
        ("box", (-1, -1, 1, 0), "main"),
        ("poly", (-1.3, -1, 0, -1.95, 1.3, -1), "dark"),
        ("box", (-0.25, -0.65, 0.25, 0), "lamp"),
    ],
    "sailboat": [
        ("poly", (-1.25, -0.35, 1.25, -0.35, 0.8, 0.15, -0.8, 0.15), "wood"),
        ("poly", (0.02, -0.42, 0.02, -2.25, 1.15, -0.42), "main"),
        ("poly", (-0.14, -0.42, -0.14, -1.8, -0.95, -0.42), "dark"),
    ],
    "balloon": [
        ("oval", (-1.1, -3.6, 1.1, -1.4), "main"),
        ("poly", (-0.85, -1.85, 0.85, -1.85, 0.28, -0.9, -0.28, -0.9), "dark"),
        ("box", (-0.33, -0.7, 0.33, -0.2), "wood"),
    ],
    "tree": _tree(),
    "lighthouse": [
        ("oval", (-1.2, -0.25, 1.2, 0.35), "wood"),
        ("poly", (-0.6, 0, 0.6, 0, 0.35, -2.3, -0.35, -2.3), "cream"),
        ("poly", (-0.54, -0.55, 0.54, -0.55, 0.43, -1.5, -0.43, -1.5), "main"),
        ("box", (-0.35, -2.75, 0.35, -2.3), "lamp"),
        ("poly", (-0.52, -2.75, 0.52, -2.75, 0, -3.3), "main"),
    ],
    "cactus": [
        ("round", (-0.32, -2.3, 0.32, 0, 0.32), "main"),
        ("round", (-1.15, -1.75, -0.71, -0.85, 0.2), "main"),
        ("box", (-0.95, -1.2, 0, -0.85), "main"),
        ("round", (0.71, -1.95, 1.15, -1.05, 0.2), "dark"),
        ("box", (0, -1.4, 0.95, -1.05), "dark"),
    ],
    "car": [
        ("poly", (-0.95, -0.8, -0.6, -1.4, 0.5, -1.4, 0.95, -0.8), "dark"),
        ("round", (-1.5, -0.9, 1.5, -0.25, 0.2), "main"),
        ("oval", (-1.2, -0.55, -0.52, 0.13), "tyre"),
        ("oval", (0.52, -0.55, 1.2, 0.13), "tyre"),
    ],
    "tent": [
        ("poly", (-1.4, 0, 1.4, 0, 0, -1.65), "main"),
        ("poly", (-0.4, 0, 0.4, 0, 0, -1.2), "dark"),
    ],
}
SIZE = {"cabin": 27.0, "sailboat": 28.0, "balloon": 28.0, "tree": 27.0, "lighthouse": 26.0, "cactus": 28.0, "car": 26.0}


def thing(c: Canvas, ground: float) -> None:
    """The one object of the scene, with a thin outline that stands out from what is behind it."""
    f, rng = c.facts, c.rng
    size = SIZE.get(f.thing, 30.0) * rng.uniform(0.88, 1.12) * c.unit
    x = PLACE[f.side] * c.width + rng.uniform(-8, 8) * c.unit
    y = (ground * c.height if f.thing != "balloon" else 0.68 * c.height) + rng.uniform(-2, 6) * c.unit
    main = shade(PALETTE[f.color], 0.6 + 0.4 * min(1.0, c.light + 0.2))
    dark = shade(main, 0.66) if f.color != "black" else mix(main, CREAM, 0.22)
    colors = {"main": main, "dark": dark, "wood": WOOD, "cream": CREAM, "lamp": LAMP, "tyre": TYRE}
    bright = 0.3 * main[0] + 0.59 * main[1] + 0.11 * main[2]
    rim = mix(main, CREAM, 0.6) if bright < 90 else shade(main, 0.35)
    for grow, fixed in ((2.5, rim), (0.0, None)):
        for kind, numbers, name in THINGS[f.thing]:
            _shape(c.draw, kind, numbers, (x, y, size), grow, fixed or colors[name])


def _shape(pen: Draw, kind: str, n: Sequence[float], at: tuple[float, float, float], grow: float, fill: Color) -> None:
    x, y, size = at
    if kind == "poly":
        points = [(x + a * size, y + b * size) for a, b in zip(n[::2], n[1::2], strict=True)]
        pen.polygon(points, fill=fill)
        if grow:
            pen.line([*points, points[0]], fill=fill, width=round(2 * grow), joint="curve")
        return
    box = [x + n[0] * size - grow, y + n[1] * size - grow, x + n[2] * size + grow, y + n[3] * size + grow]
    if kind == "box":
        pen.rectangle(box, fill=fill)
    elif kind == "oval":
        pen.ellipse(box, fill=fill)
    else:
        pen.rounded_rectangle(box, radius=n[4] * size, fill=fill)


# --- styles: H x W x 3 values 0..255 in, the same out ---------------------------------------------------------------


def _blur(x: Pixels, radius: float) -> Pixels:
    image = Image.fromarray(np.clip(x, 0, 255).astype(np.uint8))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(radius)), np.float32)


def _edges(x: Pixels) -> Pixels:
    """Strength of the edges, H x W, drawn as lines about two pixels wide."""
    y = x if x.ndim == 3 else x[..., None]
    rows = np.abs(np.diff(y, axis=0, prepend=y[:1])).max(-1)
    columns = np.abs(np.diff(y, axis=1, prepend=y[:, :1])).max(-1)
    return _blur(np.clip((rows + columns - 4) * 3.0, 0, 255), 0.8)


def _photo(x: Pixels, rng: Random) -> Pixels:
    return x


def _poster(x: Pixels, rng: Random) -> Pixels:
    level = x / 46
    whole = np.floor(level)
    return (whole + np.clip((level - whole - 0.5) * 4 + 0.5, 0, 1)) * 46


def _watercolor(x: Pixels, rng: Random) -> Pixels:
    image = Image.fromarray(np.clip(x, 0, 255).astype(np.uint8)).filter(ImageFilter.MedianFilter(3))
    wash = Image.frombytes("L", (6, 6), bytes(rng.randrange(256) for _ in range(36)))
    veil: Pixels = np.asarray(wash.resize(image.size, Image.Resampling.BICUBIC), np.float32)[..., None] / np.float32(
        255
    )
    return 255 - (255 - np.asarray(image, np.float32)) * (0.6 + 0.28 * veil)


def _gray(x: Pixels) -> Pixels:
    gray: Pixels = x @ np.array([0.299, 0.587, 0.114], np.float32)
    return gray


def _charcoal(x: Pixels, rng: Random) -> Pixels:
    gray = _gray(x)
    tone = 240 - (255 - gray) * 0.5 - np.clip(_edges(gray) * 1.5, 0, 170)
    return np.repeat(np.clip(tone, 20, 255)[..., None], 3, 2)


def _ziatype(x: Pixels, rng: Random) -> Pixels:
    tone = (1 - np.exp(-1.8 * _gray(x) / 255)) ** (1 / 1.1)
    tone = tone / (1 - math.exp(-1.8)) ** (1 / 1.1)
    return np.stack([40 + tone * 205, 32 + tone * 196, 28 + tone * 172], -1)


def _neon(x: Pixels, rng: Random) -> Pixels:
    near = _blur(x, 2.0)
    hue: Pixels = near / np.maximum(near.max(-1, keepdims=True), 24)
    line: Pixels = np.clip(_edges(x) * 1.6, 0, 235)[..., None]
    return x * 0.35 + line * (0.15 + 0.85 * hue)


FINISH: dict[str, Callable[[Pixels, Random], Pixels]] = {
    "photo": _photo,
    "flat poster": _poster,
    "watercolor": _watercolor,
    "charcoal": _charcoal,
    "ziatype print": _ziatype,
    "neon": _neon,
}


def draw(facts: Facts, seed: int, width: int = 128, height: int = 128) -> NDArray[np.uint8]:
    """The picture of a scene: `height` x `width` x 3 bytes, the same for the same arguments."""
    c = Canvas(facts, Random(seed), width, height)
    if facts.stars:
        stars(c)
    taken = orb(c) if facts.orb else None
    if facts.clouds:
        clouds(c, taken)
    ground = LAND[facts.terrain](c)
    if facts.fog:  # before the object, which stays clear
        rows = np.linspace(0, 1, c.height)
        veil = (np.exp(-(((rows - 0.64) / 0.12) ** 2)) * 0.75 * 255).astype(np.uint8)
        mask = Image.fromarray(np.repeat(veil[:, None], c.width, 1))
        c.image.paste(Image.new("RGB", c.image.size, mix(c.horizon, (235, 235, 235), 0.6)), (0, 0), mask)
        c.draw = ImageDraw.Draw(c.image)
    if facts.thing:
        thing(c, ground)
    small = c.image.resize((width, height), Image.Resampling.LANCZOS)
    finished = FINISH[facts.style](np.asarray(small, np.float32), c.rng)
    return np.clip(finished, 0, 255).astype(np.uint8)


def scene(seed: int, width: int = 128, height: int = 128) -> tuple[NDArray[np.uint8], Facts, str]:
    """The random scene of a seed: its picture, its facts and a caption."""
    rng = Random(seed)
    facts = choose(rng)
    words = caption(facts, rng)
    return draw(facts, rng.getrandbits(48), width, height), facts, words
