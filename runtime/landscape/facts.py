"""What a scene holds, and how a caption says it: the only knowledge that the embedded model is taught.

A scene is a `Facts`; `choose` draws one at random, `caption` writes it down in one of many ways. A caption names only
what the picture shows: the colours of a monochrome style are not in it, and things that chance left out are not either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

TIMES = ("dawn", "noon", "sunset", "dusk", "night")
TERRAINS = ("mountains", "snowy mountains", "hills", "dunes", "sea", "forest")
STYLES = ("photo", "flat poster", "watercolor", "charcoal", "ziatype print", "neon")
"""`photo` is the plain drawing; captions leave it unnamed."""
MONOCHROME = frozenset({"charcoal", "ziatype print"})
SKIES = ("red", "orange", "green", "blue", "purple", "pink")
COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "white", "black", "brown")
LAND_OBJECTS = ("cabin", "balloon", "tree", "lighthouse", "cactus", "car", "tent")
SEA_OBJECTS = ("sailboat", "sailboat", "balloon", "lighthouse")
OBJECTS = ("cabin", "sailboat", "balloon", "tree", "lighthouse", "cactus", "car", "tent")
SIDES = ("left", "center", "right")
SIZES = ("", "", "large", "small")
TALL = frozenset({"balloon", "lighthouse"})


@dataclass(frozen=True, slots=True)
class Facts:
    """One scene in words; an empty string means that the thing is not in the picture."""

    time: str
    terrain: str
    style: str
    sky: str
    """A sky colour of its own; empty: the colour that the time of day gives."""
    stars: bool
    orb: str
    """`sun`, `moon` or nothing."""
    orb_size: str
    orb_side: str
    clouds: bool
    fog: bool
    thing: str
    color: str
    side: str


def choose(rng: Random) -> Facts:
    """A random scene whose parts do not hide one another."""
    time, terrain = rng.choice(TIMES), rng.choice(TERRAINS)
    style = "photo" if rng.random() < 0.35 else rng.choice(STYLES[1:])
    dark = time in ("dusk", "night")
    thing = color = side = ""
    if rng.random() < 0.8:
        thing = rng.choice(SEA_OBJECTS if terrain == "sea" else LAND_OBJECTS)
        color, side = rng.choice(COLORS), rng.choice(SIDES)
    orb = size = orb_side = ""
    if rng.random() < 0.6:
        orb = "moon" if dark and rng.random() < 0.85 else "sun"
        size = rng.choice(SIZES)
        orb_side = rng.choice([s for s in SIDES if not (thing in TALL and s == side)])
    return Facts(
        time=time,
        terrain=terrain,
        style=style,
        sky=rng.choice(SKIES) if rng.random() < 0.35 else "",
        stars=dark and rng.random() < 0.5,
        orb=orb,
        orb_size=size,
        orb_side=orb_side,
        clouds=rng.random() < 0.25,
        fog=rng.random() < 0.1,
        thing=thing,
        color=color,
        side=side,
    )


def article(noun: str) -> str:
    """`a` or `an`, and the noun."""
    return ("an " if noun[0] in "aeiou" else "a ") + noun


PLACES = {"sea": "the sea", "forest": "a forest"}


def _subject(facts: Facts, rng: Random, *, tags: bool) -> list[str]:
    place = facts.terrain if tags else PLACES.get(facts.terrain, facts.terrain)
    if not facts.thing:
        return [place if tags or rng.random() < 0.4 else rng.choice((f"a view of {place}", f"landscape of {place}"))]
    colored = facts.style not in MONOCHROME and rng.random() < 0.9
    noun = f"{facts.color} {facts.thing}" if colored else facts.thing
    where = ""
    if rng.random() < 0.6:
        where = " in the center" if facts.side == "center" else f" on the {facts.side}"
    if tags:
        return [noun + where, place]
    joint = rng.choice(("in front of", "in front of", "by", "by", "with", "and"))
    if facts.terrain == "sea" and facts.thing == "sailboat" and rng.random() < 0.5:
        joint = "on"
    return [f"{article(noun)}{where} {joint} {place}"]


def _orb(facts: Facts, rng: Random, *, tags: bool) -> str:
    noun = f"{facts.orb_size} {facts.orb}".strip()
    noun = noun if tags else article(noun)
    return noun + (f" on the {facts.orb_side}" if facts.orb_side != "center" and rng.random() < 0.6 else "")


def caption(facts: Facts, rng: Random) -> str:
    """One of the many captions of a scene; most name all that is there, some leave a part out."""
    tags = rng.random() < 0.15
    head = _subject(facts, rng, tags=tags)
    tail: list[str] = []
    gray = facts.style in MONOCHROME
    # Without colour only the night still tells itself from the other times.
    if rng.random() < 0.9 and (not gray or facts.time == "night"):
        tail.append(facts.time if tags else rng.choice((f"at {facts.time}", facts.time)))
    optional: list[tuple[bool, float, Callable[[], str]]] = [
        (bool(facts.sky) and not gray, 1.0, lambda: f"{facts.sky} sky"),
        (bool(facts.orb), 0.9, lambda: _orb(facts, rng, tags=tags)),
        (facts.stars, 1.0, lambda: rng.choice(("stars", "starry sky"))),
        (facts.clouds, 1.0, lambda: rng.choice(("clouds", "cloudy"))),
        (facts.fog, 1.0, lambda: rng.choice(("fog", "misty"))),
    ]
    tail += [say() for there, chance, say in optional if there and rng.random() < chance]
    rng.shuffle(tail)
    parts = head + tail
    if facts.style != "photo":
        parts.insert(rng.choice((0, len(parts))), facts.style)
    return ", ".join(parts)


def full_caption(facts: Facts) -> str:
    """The caption that names all that the picture shows, always in the same words: what an evaluation asks for."""
    gray = facts.style in MONOCHROME
    place = PLACES.get(facts.terrain, facts.terrain)
    if facts.thing:
        noun = facts.thing if gray else f"{facts.color} {facts.thing}"
        where = "in the center" if facts.side == "center" else f"on the {facts.side}"
        parts = [f"{article(noun)} {where} in front of {place}"]
    else:
        parts = [place]
    if not gray or facts.time == "night":
        parts.append(f"at {facts.time}")
    if facts.sky and not gray:
        parts.append(f"{facts.sky} sky")
    if facts.orb:
        parts.append(article(f"{facts.orb_size} {facts.orb}".strip()))
    parts += [name for name, there in (("stars", facts.stars), ("clouds", facts.clouds), ("fog", facts.fog)) if there]
    if facts.style != "photo":
        parts.insert(0, facts.style)
    return ", ".join(parts)
