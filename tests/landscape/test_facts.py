"""A caption names only what the picture shows."""

from __future__ import annotations

from random import Random

import pytest

from landscape.facts import COLORS, MONOCHROME, OBJECTS, SKIES, STYLES, TERRAINS, TIMES, caption, choose, full_caption

SEEDS = range(400)


def words(text: str) -> set[str]:
    return set(text.replace(",", " ").split())


@pytest.mark.parametrize("full", [False, True])
def test_a_caption_names_nothing_that_is_not_there(full: bool) -> None:
    for seed in SEEDS:
        rng = Random(seed)
        facts = choose(rng)
        text = full_caption(facts) if full else caption(facts, rng)
        named = words(text)
        assert named & set(OBJECTS) <= {facts.thing}
        assert named & set(TIMES) <= {facts.time}
        assert named & {"sun", "moon"} <= {facts.orb}
        assert not named & {"stars", "starry"} or facts.stars
        assert not named & {"clouds", "cloudy"} or facts.clouds
        assert not named & {"fog", "misty"} or facts.fog
        assert named & (set(COLORS) | set(SKIES)) <= {facts.color, facts.sky}
        assert [s for s in STYLES[1:] if s in text] == [s for s in STYLES[1:] if s == facts.style]
        assert any(terrain in text for terrain in TERRAINS if terrain == facts.terrain)


def test_a_grey_picture_has_no_colour_in_its_caption() -> None:
    gray = [f for f in map(choose, map(Random, SEEDS)) if f.style in MONOCHROME]
    assert len(gray) > 40
    for facts in gray:
        assert not words(caption(facts, Random(1))) & (set(COLORS) | set(SKIES))
        assert not words(full_caption(facts)) & (set(COLORS) | set(SKIES))


def test_nothing_hides_the_sun_or_the_moon() -> None:
    chosen = [choose(Random(seed)) for seed in range(2000)]
    tall = [f for f in chosen if f.orb and f.thing in ("balloon", "lighthouse")]
    assert tall
    assert all(f.orb_side != f.side for f in tall)


def test_a_sailboat_is_at_sea_and_a_car_is_not() -> None:
    chosen = [choose(Random(seed)) for seed in range(2000)]
    assert {f.terrain for f in chosen if f.thing == "sailboat"} == {"sea"}
    assert "sea" not in {f.terrain for f in chosen if f.thing in ("car", "cabin", "tent", "tree", "cactus")}


def test_every_value_occurs() -> None:
    chosen = [choose(Random(seed)) for seed in range(2000)]
    assert {f.thing for f in chosen} == {"", *OBJECTS}
    assert {f.style for f in chosen} == set(STYLES)
    assert {f.sky for f in chosen} == {"", *SKIES}


def test_the_full_caption_in_words() -> None:
    facts = next(
        f for f in map(choose, map(Random, range(5000))) if f.thing == "tent" and f.sky and f.style == "watercolor"
    )
    text = full_caption(facts)
    assert text.startswith(f"watercolor, a{'n' if facts.color == 'orange' else ''} {facts.color} tent ")
    assert f"{facts.sky} sky" in text
