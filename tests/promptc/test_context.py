"""Contexts: what placeholders declare themselves, and what a front matter declares."""

from typing import NamedTuple

import pytest

from promptc.context import Context, Parameter, from_params, infer, name_problem, places, snake_case, used
from promptc.parse import parse
from promptc.source import FileSpan, Fragment, Shift, Source, Span
from promptc.types import Bool, Float, Image, Int, OneOf, Ratio, Str, Type

SEED = Int(0, 2**53 - 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a {x}", Str()),
        ("(fog:{x})", Float()),
        ("[fog:{x}]", Float(0.0)),
        ("[a:b:{x}]", Float(0.0)),
        ("a AND b :{x}", Float()),
        ("<lora:ink:{x}>", Float()),
        ("<lora:ink:te={x}>", Float()),
        ("<lora:{x}:0.5>", Str()),
        ("{red|{x} blue}", Str()),
        ("a fox --seed {x}", SEED),
        ("a fox --ar {x}", Ratio()),
        ("a fox --ar {x}:5", Int(1)),
        ("a fox --size {x}x512", Int(64, 8192)),
        ("a fox --sref {x}", Image()),
        ("a fox --sref a.png::{x}", Float(0.01, 100.0)),
        ("a fox --init {x}", Image()),
        ("a fox --no fog, {x}", Str()),
        ("a fox --tile {x}", Bool()),
        ("a fox --format {x}", OneOf(("webp", "png", "tiff", "jpeg", "avif"))),
        ("a fox --print ziatype(paper={x})", OneOf(("cotton", "vellum", "smooth"))),
        ("a fox --print ziatype(density={x})", Float(0.1, 10.0)),
        ("{x} foxes --seed {x}", SEED),
        ("(fog:{x}) --steps {x}", Int(1, 1000)),
        ("{x: int}", Int()),
        ("(fog:{x: float[0..2]})", Float(0.0, 2.0)),
    ],
)
def test_the_place_gives_the_type(text: str, expected: Type) -> None:
    assert [(one.name, one.type, one.required) for one in infer(parse(text)).parameters] == [("x", expected, True)]


def test_a_default_makes_a_parameter_optional_and_may_give_its_type() -> None:
    context = infer(parse('{a = "x"}, {b = 3}, {c: "calm" | "stormy" = "calm"}, (fog:{d = 1})'))
    assert [(one.name, one.type, one.default, one.required) for one in context.parameters] == [
        ("a", Str(), "x", False),
        ("b", Int(), 3, False),
        ("c", OneOf(("calm", "stormy")), "calm", False),
        ("d", Float(), 1, False),
    ]


def test_one_parameter_for_all_uses_of_a_name() -> None:
    context = infer(parse("{a}, {b}, {a: str = x}"))
    assert [(one.name, one.required) for one in context.parameters] == [("a", False), ("b", True)]


def test_used_and_places() -> None:
    root = parse("{a} (b:{w}) --seed {s} --no {a}")
    assert used(root) == {"a", "w", "s"}
    assert [(place.placeholder.name.text, place.what) for place in places(root)] == [  # type: ignore[union-attr]
        ("a", "text"),
        ("w", "a weight"),
        ("s", "--seed"),
        ("a", "part of the text of --no"),
    ]


class Declared(NamedTuple):
    fragment: Fragment
    span: Span


def declare(source: str) -> tuple[tuple[Declared, Declared], ...]:
    """`name: type` lines of a front matter."""
    file = Source("card.prompt", source)
    at, pairs = 0, []
    for line in source.splitlines(keepends=True):
        name, _, kind = line.rstrip().partition(": ")
        cut = at + len(name) + 2
        pairs.append(
            (
                Declared(Fragment(file, name, Shift(at)), Span(at, at + len(name))),
                Declared(Fragment(file, kind, Shift(cut)), Span(cut, cut + len(kind))),
            )
        )
        at += len(line)
    return tuple(pairs)


def test_from_params() -> None:
    source = 'subject: str\nmood: "calm" | "stormy" = "calm"\nage: int[0..120] = 7\nlabel: str = "a = b"\n'
    context, problems = from_params(declare(source), origin="card.prompt")

    def place(name: str) -> Span:
        return Span(source.index(name), source.index(name) + len(name))

    assert problems == ()
    assert context.complete
    assert context.parameters == (
        Parameter("subject", Str(), None, True, Span(0, 7), "card.prompt"),
        Parameter("mood", OneOf(("calm", "stormy")), "calm", False, place("mood"), "card.prompt"),
        Parameter("age", Int(0, 120), 7, False, place("age"), "card.prompt"),
        Parameter("label", Str(), "a = b", False, place("label"), "card.prompt"),
    )


@pytest.mark.parametrize(
    ("line", "code", "place", "fixed"),
    [
        ("age: itn", "E0933", "itn", "int"),
        ('mood: "calm" | "stormy" = "clam"', "E0933", '"clam"', '"calm"'),
        ("age: int = old", "E0933", "old", None),
        ("age: int[0..9] = 10", "E0933", "10", None),
        ("Mood: str", "E0911", "Mood", "mood"),
        ("class: str", "E0912", "class", "class_"),
    ],
)
def test_a_faulty_declaration(line: str, code: str, place: str, fixed: str | None) -> None:
    context, problems = from_params(declare(line))
    assert [(one.code, line[one.span.start : one.span.end]) for one in problems] == [(code, place)]
    assert [fix.edits[0].text for fix in problems[0].fixes] == ([] if fixed is None else [fixed])
    assert context.names() == [line.partition(":")[0]]


@pytest.mark.parametrize("name", ["subject", "a", "x_1", "selfish"])
def test_good_names(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Misty", "E0911"),
        ("été", "E0911"),
        ("", "E0911"),
        ("class", "E0912"),
        ("self", "E0912"),
        ("_x", "E0912"),
        ("1a", "E0911"),
    ],
)
def test_bad_names(name: str, code: str) -> None:
    problem = name_problem(name)
    assert problem is not None
    assert problem.code == code
    if problem.replacement is not None:
        assert name_problem(problem.replacement) is None


def test_snake_case() -> None:
    assert snake_case("skyColor") == "sky_color"
    assert snake_case("Sky Color") == "sky_color"
    assert snake_case("user.name") == "user_name"
    assert snake_case("1st") is None


def test_spans_of_files_are_spans() -> None:
    assert FileSpan(3, 5) == Span(3, 5)
    assert isinstance(FileSpan(3, 5), Span)
    assert Context("empty").find("x") is None
