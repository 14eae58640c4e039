"""Drawn scenes are the same for the same seed, and show what their facts say."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from landscape.facts import COLORS, MONOCHROME, OBJECTS, STYLES, TERRAINS, Facts, choose
from landscape.scenes import LAND, PALETTE, THINGS, draw, scene

PLAIN = Facts(
    time="noon",
    terrain="hills",
    style="photo",
    sky="",
    stars=False,
    orb="",
    orb_size="",
    orb_side="",
    clouds=False,
    fog=False,
    thing="",
    color="",
    side="",
)


def changed(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Pixels that clearly differ."""
    difference: NDArray[np.bool_] = np.abs(a.astype(int) - b.astype(int)).max(-1) > 24
    return difference


@pytest.mark.parametrize("shape", [(128, 128), (192, 96), (96, 192)])
def test_a_seed_gives_one_picture(shape: tuple[int, int]) -> None:
    first, facts, words = scene(7, *shape)
    again, _, _ = scene(7, *shape)
    assert first.shape == (shape[1], shape[0], 3)
    assert first.dtype == np.uint8
    assert np.array_equal(first, again)
    assert facts == choose(Random(7))
    assert words
    assert not np.array_equal(first, scene(8, *shape)[0])


def test_every_fact_can_be_drawn() -> None:
    assert set(LAND) == set(TERRAINS)
    assert set(THINGS) == set(OBJECTS)
    assert set(PALETTE) == set(COLORS)
    for style in STYLES:
        for terrain in TERRAINS:
            pixels = draw(replace(PLAIN, style=style, terrain=terrain), 3)
            assert pixels.std() > 4


@pytest.mark.parametrize("thing", OBJECTS)
@pytest.mark.parametrize(("side", "columns"), [("left", (0, 64)), ("right", (64, 128))])
def test_the_object_stands_on_its_side_and_is_large_enough(thing: str, side: str, columns: tuple[int, int]) -> None:
    terrain = "sea" if thing == "sailboat" else "hills"
    there = replace(PLAIN, terrain=terrain, thing=thing, color="red", side=side)
    difference = changed(draw(there, 5), draw(replace(PLAIN, terrain=terrain), 5))
    inside = difference[:, columns[0] : columns[1]].sum()
    assert inside >= 150  # pixels: about 12 x 12
    assert inside == difference.sum()


@pytest.mark.parametrize("color", COLORS)
def test_the_object_has_its_colour(color: str) -> None:
    pixels = draw(replace(PLAIN, thing="cabin", color=color, side="center"), 5).astype(int)
    near = np.abs(pixels - np.array(PALETTE[color])).max(-1) < 20
    assert near.sum() >= 100


def test_nothing_of_the_moon_is_cut_off_by_the_frame() -> None:
    for seed in range(20):
        moon = replace(PLAIN, time="night", orb="moon", orb_size="large", orb_side="left")
        sky = slice(0, 60)  # the hills below take other random numbers
        difference = changed(draw(moon, seed), draw(replace(PLAIN, time="night"), seed))[sky]
        assert difference.sum() > 100
        assert not difference[0].any()
        assert not difference[:, 0].any()


def test_the_words_of_the_sky_are_seen() -> None:
    red, blue = (draw(replace(PLAIN, sky=color), 1)[:40].mean((0, 1)) for color in ("red", "blue"))
    assert red[0] > red[2] + 20
    assert blue[2] > blue[0] + 20
    noon, night = (draw(replace(PLAIN, time=time), 1).mean() for time in ("noon", "night"))
    assert noon > 2 * night


@pytest.mark.parametrize("style", sorted(MONOCHROME))
def test_grey_styles_are_grey(style: str) -> None:
    pixels = draw(replace(PLAIN, style=style, sky="green", thing="car", color="red", side="left"), 2).astype(int)
    assert np.corrcoef(pixels[..., 0].ravel(), pixels[..., 2].ravel())[0, 1] > 0.99


def test_fog_leaves_the_object_clear() -> None:
    thing = replace(PLAIN, thing="car", color="red", side="center")
    clear, foggy = draw(thing, 9).astype(int), draw(replace(thing, fog=True), 9).astype(int)
    red = np.abs(clear - np.array(PALETTE["red"])).max(-1) < 20
    assert red.sum() > 50
    assert np.abs(clear - foggy)[red].max() <= 2
