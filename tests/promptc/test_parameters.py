"""Parameters: the table, what values mean, what is wrong with them, and how they wait for placeholders."""

from pathlib import Path

import pytest

from promptc.bind import bind
from promptc.context import infer
from promptc.parameters import (
    BadParameter,
    Call,
    Parameters,
    Reference,
    Size,
    UnboundParameter,
    find,
    names,
    read,
    resolve,
    table,
)
from promptc.parse import parse
from promptc.plan.ops.denoise import MAX_SEED
from promptc.types import Int, OneOf, accepts
from promptc.values import Image


def given(text: str, **values: object) -> Parameters:
    root = parse(text)
    return resolve(bind(root, infer(root), values) if values else root)


def problems(text: str) -> list[tuple[str, str]]:
    """The places and the help of everything wrong with the values."""
    return [
        (text[problem.span.start : problem.span.end], problem.help)
        for one in read(parse(text))
        for problem in one.problems
    ]


@pytest.mark.parametrize(
    ("text", "name", "meant"),
    [
        ("--ar 16:9", "ar", Size(16, 9)),
        ("--aspect 16:9", "ar", Size(16, 9)),
        ("--AR 16:9", "ar", Size(16, 9)),
        ("--size 512x640", "size", Size(512, 640)),
        ("--size 512 x 640", "size", Size(512, 640)),
        ("--size 512×640", "size", Size(512, 640)),
        ("--seed 9007199254740991", "seed", 9007199254740991),
        ("--steps 24", "steps", 24),
        ("--cfg 7", "guidance", 7),
        ("--sampler dpmpp_2m", "sampler", "dpmpp_2m"),
        ("--model landscape", "model", "landscape"),
        ('--model "my models/a b"', "model", "my models/a b"),
        ("--no fog, soft light", "no", "fog, soft light"),
        ("--no fog --no rain", "no", "fog, rain"),
        ("--tile", "tile", True),
        ("--tile false", "tile", False),
        ("--format webp, png", "format", ("webp", "png")),
        ("--out 1024,512", "out", (1024, 512)),
        ("--strength 0.5", "strength", 0.5),
        ("--print ziatype", "print", Call("ziatype", {})),
        (
            "--print ziatype(density=1.5, paper = vellum, tone=-0.5)",
            "print",
            Call("ziatype", {"density": 1.5, "paper": "vellum", "tone": -0.5}),
        ),
        ("--print ziatype()", "print", Call("ziatype", {})),
    ],
)
def test_values(text: str, name: str, meant: object) -> None:
    found = given(f"a fox {text}")
    assert found.given == {name: meant}
    assert found.value(name, object) == meant


def test_style_references_have_weights_and_add_up() -> None:
    meant = given('a fox --sref a.png::2 https://x.example/b.png --sref "c d.png"').value("sref", tuple)
    assert meant is not None
    assert [(one.image, one.weight) for one in meant if isinstance(one, Reference)] == [
        ("a.png", 2),
        ("https://x.example/b.png", 1.0),
        ("c d.png", 1.0),
    ]


def test_a_default_is_used_only_where_nothing_is_given() -> None:
    assert given("a fox").value("steps", int) == 20
    assert given("a fox --steps 5").value("steps", int) == 5
    assert given("a fox").value("format", tuple) == ("webp",)
    assert given("a fox").value("seed", int) is None
    assert given("a fox --guidance 7").value("guidance", float) == 7.0


@pytest.mark.parametrize(
    ("text", "place", "help"),
    [
        ("--ar 1.5:1", "1.5:1", "did you mean `3:2`?"),
        ("--size 1920x1084", "1084", "the nearest sizes are 1920x1080 and 1920x1088"),
        ("--size 100x101", "100", "the nearest sizes are 96x96 and 104x104"),
        ("--format wepb", "wepb", "did you mean `webp`?"),
        ("--format webp, gif", "gif", "it takes webp, png, tiff, jpeg or avif"),
        ("--seed 9007199254740992", "9007199254740992", ""),
        ("--seed", "--seed", ""),
        ("--print ziatyp", "ziatyp", "did you mean `ziatype`?"),
        ("--print ziatype(density=99)", "99", ""),
        ("--print ziatype(density)", "density", ""),
        ("--print ziatype(tone=0, tone=1)", "tone", ""),
        ("--print ziatype(paper=)", "paper", ""),
        ("--print ziatype(density=1", "(", ""),
        ("--sref a.png::many", "many", ""),
    ],
)
def test_a_value_that_does_not_hold(text: str, place: str, help: str) -> None:
    text = f"a fox {text}"
    (found,) = problems(text)
    assert found[0] == place
    if help:
        assert found[1] == help
    with pytest.raises(BadParameter) as caught:
        resolve(parse(text))
    assert caught.value.diagnostic.code == "E1302"


def test_the_second_of_two_is_named() -> None:
    text = "a fox --print ziatype(tone=0, tone=1)"
    (one,) = read(parse(text))
    assert one.problems[0].span.start == text.rindex("tone")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("--seed {x}", "seed"), ("--ar {x}", "ar"), ("--ar {x}:5", "ar"), ("--size {x}x512", "size"), ("--sref {x}", "sref"),
        ("--no fog, {x}", "no"), ("--tile {x}", "tile"), ("--print ziatype(tone={x})", "print"), ("--out 512,{x}", "out"),
    ],
)  # fmt: skip
def test_a_value_waits_for_its_placeholders(text: str, name: str) -> None:
    found = given(f"a fox {text}")
    with pytest.raises(UnboundParameter, match="x"):
        found.value(name, object)


@pytest.mark.parametrize(
    ("text", "value", "name", "meant"),
    [
        ("--seed {x}", 7, "seed", 7),
        ("--ar {x}", "4:5", "ar", Size(4, 5)),
        ("--ar {x}", (4, 5), "ar", Size(4, 5)),
        ("--ar {x}:5", 4, "ar", Size(4, 5)),
        ("--size {x}x512", 640, "size", Size(640, 512)),
        ("--init {x}", Image("a b.png"), "init", "a b.png"),
        ("--init {x}", Path("a.png"), "init", "a.png"),
        ("--tile {x}", False, "tile", False),
        ("--no fog, {x}", "a --b: c, d", "no", "fog, a --b: c, d"),
        ("--print ziatype(tone={x})", 0.5, "print", Call("ziatype", {"tone": 0.5})),
        ("--model {x}", "a b --seed 1", "model", "a b --seed 1"),
    ],
)
def test_a_bound_value_is_data(text: str, value: object, name: str, meant: object) -> None:
    assert given(f"a fox {text}", x=value).value(name, object) == meant


def test_a_bound_reference_is_never_split() -> None:
    meant = given("a fox --sref {x}::2", x="a b::9.png --seed 3").value("sref", tuple)
    assert meant is not None
    assert [(one.image, one.weight) for one in meant if isinstance(one, Reference)] == [("a b::9.png --seed 3", 2)]


def test_the_table_is_sound() -> None:
    known = table()
    spellings = names()
    assert len(spellings) == sum(1 + len(spec.aliases) for spec in known.values()), (
        "a spelling stands for two parameters"
    )
    for spec in known.values():
        assert spec.help
        for other in (*spec.excludes, *spec.only, *([spec.needs] if spec.needs else [])):
            assert other in known
        assert all(spec.name in known[other].excludes for other in spec.excludes)
        values = spec.default if spec.many and isinstance(spec.default, tuple) else (spec.default,)
        for value in values:
            assert value is None or accepts(spec.type, value) is None
        for arguments in spec.calls.values():
            for argument in arguments.values():
                assert accepts(argument.type, argument.default) is None


def test_the_table_agrees_with_the_plan() -> None:
    seed = table()["seed"].type
    assert isinstance(seed, Int)
    assert seed.high == MAX_SEED
    from typing import get_args

    from promptc.plan.ops.denoise import Sampler
    from promptc.plan.ops.encode import Format
    from promptc.plan.ops.encode_text import Weighting
    from promptc.plan.ops.ziatype import Paper, Ziatype

    for kind, alias in (
        (table()["sampler"].type, Sampler),
        (table()["format"].type, Format),
        (table()["weighting"].type, Weighting),
        (table()["print"].calls["ziatype"]["paper"].type, Paper),
    ):
        assert isinstance(kind, OneOf)
        assert kind.values == get_args(alias)
    arguments = table()["print"].calls["ziatype"]
    for name, argument in arguments.items():
        field = Ziatype.model_fields[name]
        assert field.default == argument.default, name


def test_find() -> None:
    (parameter,) = parse("a fox --cfg 3").parameters
    assert find(parameter) is table()["guidance"]
