"""Types of placeholders: how they are written, what they take, and where they fit."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptc.types import (
    Bool,
    Float,
    Image,
    Int,
    OneOf,
    Ratio,
    Str,
    Type,
    TypeProblem,
    accepts,
    describe,
    disagreement,
    meet,
    parse_default,
    parse_type,
    parse_value,
)  # fmt: skip

MOOD = OneOf(("calm", "stormy"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("str", Str()),
        (" int ", Int()),
        ("int[0..120]", Int(0, 120)),
        ("int[1..]", Int(1, None)),
        ("int[..9]", Int(None, 9)),
        ("int[-5..5]", Int(-5, 5)),
        ("float[0..2]", Float(0.0, 2.0)),
        ("float[.5..1.5]", Float(0.5, 1.5)),
        ("bool", Bool()),
        ("image", Image()),
        ("ratio", Ratio()),
        ('"calm" | "stormy"', MOOD),
        ("'calm'|'stormy'", MOOD),
        ('"a|b" | "say \\"hi\\""', OneOf(("a|b", 'say "hi"'))),
        ("1 | 2 | 4", OneOf((1, 2, 4))),
        ('Literal["calm", "stormy"]', MOOD),
        ("typing.Literal['calm'] | Literal['stormy']", MOOD),
        ("Annotated[int, Ge(0), Le(120)]", Int(0, 120)),
        ("Annotated[int, annotated_types.Gt(0)]", Int(1, None)),
        ("Annotated[float, Field(ge=0, le=2)]", Float(0.0, 2.0)),
        ("promptc.Image", Image()),
        ("Ratio", Ratio()),
        ("int | float", Float()),
    ],
)
def test_parse_type(text: str, expected: Type) -> None:
    assert parse_type(text) == expected


@pytest.mark.parametrize(
    ("text", "place", "replacement"),
    [
        ("sttr", "sttr", "str"),
        ("integer", "integer", "int"),
        ("Flaot", "Flaot", "float"),
        ("calm", "calm", None),
        ("int[2..1]", "[2..1]", "[1..2]"),
        ("int[]", "]", None),
        ("int[a..b]", "a", None),
        ("int[0.5..1]", "0.5", None),
        ("int int", "int", None),
        ('int | "calm"', "int", None),
        ("str | None", "None", None),
        ('"calm', '"', None),
        ("", "", None),
        (".1f", ".1f", None),
    ],
)
def test_a_type_that_cannot_be_read(text: str, place: str, replacement: str | None) -> None:
    problem = parse_type(text)
    assert isinstance(problem, TypeProblem)
    assert text[problem.start : problem.end] == place
    assert problem.replacement == replacement
    assert problem.message


@given(st.text(max_size=40))
def test_no_text_raises(text: str) -> None:
    problem = parse_type(text)
    if isinstance(problem, TypeProblem):
        assert 0 <= problem.start <= problem.end <= len(text)
    parse_default(None, text)
    for kind in (Str(), Int(0, 5), Float(), Bool(), Image(), Ratio(), MOOD):
        for found in (parse_default(kind, text), parse_value(kind, text)):
            if not isinstance(found, TypeProblem):
                assert accepts(kind, found) is None


TYPES = st.one_of(
    st.sampled_from([Str(), Int(), Float(), Bool(), Image(), Ratio()]),
    st.builds(lambda low, size: Int(low, low + size), st.integers(-50, 50), st.integers(0, 50)),
    st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4, unique=True).map(
        lambda values: OneOf(tuple(values))
    ),
)


@given(TYPES)
def test_a_description_reads_back(kind: Type) -> None:
    assert parse_type(describe(kind)) == kind


@given(TYPES, TYPES)
def test_meet_is_within_both(one: Type, other: Type) -> None:
    both = meet(one, other)
    assert both == meet(other, one)
    if both is not None:
        assert meet(both, one) == both
        assert disagreement(both, one) is None or isinstance(one, Str)


@pytest.mark.parametrize(
    ("kind", "value", "fits"),
    [
        (Str(), "fox", True), (Str(), 3, False), (Str(), None, False),
        (Int(0, 120), 120, True), (Int(0, 120), 121, False), (Int(), 1.0, False), (Int(), True, False), (Int(), "3", False),
        (Float(0, 2), 1, True), (Float(0, 2), 2.5, False), (Float(), nan, False), (Float(), inf, False),
        (Bool(), True, True), (Bool(), 1, False),
        (Ratio(), "4:5", True), (Ratio(), (4, 5), True), (Ratio(), "0:5", False), (Ratio(), "1.5:1", False), (Ratio(), (4, 0), False),
        (Image(), "a.png", True), (Image(), " ", False), (Image(), 3, False),
        (Str(), "\ud800", False), (Image(), "a\udcff.png", False), (Int(), 2**1000, True), (Int(), 10**400, False), (Float(), 10**400, False),
        (MOOD, "calm", True), (MOOD, "clam", False), (OneOf((1, 2)), True, False),
    ],
)  # fmt: skip
def test_accepts(kind: Type, value: object, fits: bool) -> None:
    assert (accepts(kind, value) is None) is fits


def test_a_refusal_names_the_nearest_value() -> None:
    assert accepts(MOOD, "clam") == '"clam" is none of "calm" or "stormy"; did you mean "calm"?'


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (MOOD, '"calm"', "calm"), (MOOD, "calm", "calm"), (Str(), '""', ""), (Str(), "soft light", "soft light"),
        (Int(), "3", 3), (Float(), "3", 3), (Float(), ".5", 0.5), (Bool(), "true", True), (Ratio(), "4:5", "4:5"),
        (None, "3", 3), (None, '"3"', "3"), (None, "true", True), (None, "calm", "calm"), (None, "1.5", 1.5),
    ],
)  # fmt: skip
def test_parse_default(kind: Type | None, text: str, expected: object) -> None:
    assert parse_default(kind, text) == expected


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        (Str(), Str(), True), (Int(), Str(), True), (Image(), Str(), False),
        (Int(), Float(), True), (Float(), Int(), False), (Str(), Float(), False), (Bool(), Int(), False),
        (Int(), Int(1, 1000), True), (Int(0, 10), Int(1, 1000), False), (Int(1, 10), Int(1, 1000), True),
        (OneOf((0.5, 1.0)), Float(), True), (OneOf(("a",)), Float(), False), (OneOf(("webp", "gif")), OneOf(("webp", "png")), False),
        (Str(), Ratio(), True), (Int(), Ratio(), False), (OneOf(("4:5", "16:9")), Ratio(), True), (OneOf(("wide",)), Ratio(), False),
        (Str(), Image(), True), (Ratio(), Image(), False), (Bool(), Bool(), True), (Str(), Bool(), False),
    ],
)  # fmt: skip
def test_disagreement(given: Type, wanted: Type, fits: bool) -> None:
    assert (disagreement(given, wanted) is None) is fits
