"""Values in placeholders: checked, and never parsed."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.bind import bind, read_values
from promptc.context import Context, Parameter, infer
from promptc.errors import BindError
from promptc.parse import parse
from promptc.tree import Emphasis, Placeholder, Root, Schedule, Value
from promptc.types import Float, Int, OneOf, Ratio, Str, Type
from promptc.values import Image
from promptc.values import Ratio as RatioValue
from promptc.walk import leaves
from promptc.walk import print_tree as text_of

NASTY = st.one_of(
    st.text(max_size=30),
    st.text("(){}[]<>|:_\\#-,.AND BREAK0123456789\n", max_size=30),
    st.sampled_from(
        ["calm {{DP}} {x}", "{x}", "(fog:1.3)", "a :1.2 AND b", "BREAK", "--ar 4:5", "__colors__", "<lora:x:1>", "# no"]
    ),
)
TEMPLATES = (
    "{v}",
    "a {v} b",
    "({v}:1.2), [a|{v}]",
    "{red|{v} blue}, {{raw {v}}}",
    "[{v}:night:0.5] BREAK x",
    "a {v} :1.2 AND {v}",
    "x --no {v}, blur --seed 3",
)


def bound(text: str, **values: object) -> Root:
    root = parse(text)
    return bind(root, infer(root), values)


def shape(node: Any) -> Any:
    """A tree without its texts; a value counts as the placeholder that it fills."""
    if isinstance(node, tuple):
        return tuple(shape(each) for each in node)
    if isinstance(node, Value):
        return ("hole", node.name, node.start, node.end)
    if isinstance(node, Placeholder):
        return ("hole", node.name.text, node.start, node.end)
    if hasattr(node, "start"):
        kept = [field.name for field in fields(node) if field.name != "text"]
        return (type(node).__name__, *(shape(getattr(node, name)) for name in kept))
    return node


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TEMPLATES), NASTY)
def test_a_value_is_data(template: str, value: str) -> None:
    before = parse(template)
    after = bind(before, infer(before), {"v": value})
    assert shape(after) == shape(before)
    found = [leaf for leaf in leaves(after) if isinstance(leaf, Value)]
    assert found
    assert {leaf.text for leaf in found} == {value}
    assert {leaf.value for leaf in found} == {value}


@settings(max_examples=100, deadline=None)
@given(NASTY)
def test_the_text_of_a_bound_prompt_has_the_value_once(value: str) -> None:
    assert text_of(bound("mood: {mood}", mood=value)) == f"mood: {value}"


def test_what_braces_and_marks_a_value_holds_stays_text() -> None:
    root = bound("mood: {mood}", mood="calm {{DP}} {x}")
    assert text_of(root) == "mood: calm {{DP}} {x}"
    assert not any(isinstance(leaf, Placeholder) for leaf in leaves(root))


def test_a_node_that_is_in_two_fields_stays_one() -> None:
    root = bound("({v}:1.2) --seed {n}", v="fog", n=3)
    (branch,) = root.branches
    assert branch in root.parts or any(branch is part for part in root.parts)
    (parameter,) = root.parameters
    assert any(parameter is part for part in root.parts)


def test_the_deepest_prompt_can_be_bound() -> None:
    deep = "(" * 64 + "{v}" + ")" * 64
    assert text_of(bound(deep, v="fog")) == deep.replace("{v}", "fog")


def test_numbers_reach_weights_and_switches_as_numbers() -> None:
    root = bound("(fog:{w}), [day:night:{t}]", w=1.3, t=0.25)
    nodes = list(root.branches[0].body)
    emphasis = next(node for node in nodes if isinstance(node, Emphasis))
    schedule = next(node for node in nodes if isinstance(node, Schedule))
    assert isinstance(emphasis.weight, Value)
    assert emphasis.weight.value == 1.3
    assert emphasis.weight.text == "1.3"
    assert isinstance(schedule.when, Value)
    assert schedule.when.value == 0.25


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a sailor", "a sailor"),
        ("", ""),
        (3, "3"),
        (True, "true"),
        (1.5, "1.5"),
        (2.0, "2.0"),
        (1e-7, "0.0000001"),
        (1e22, "10000000000000000000000"),
        (Image("card.png"), "card.png"),
        (Image(Path("a") / "b.png"), str(Path("a") / "b.png")),
        (RatioValue(4, 5), "4:5"),
        ((4, 5), "4:5"),
    ],
)
def test_every_value_has_a_text(value: object, text: str) -> None:
    root = parse("{v}")
    context = Context("", (Parameter("v", None),))
    assert text_of(bind(root, context, {"v": value})) == text


@pytest.mark.parametrize(
    ("template", "values", "message"),
    [
        ("{subject}", {}, "subject: it has no value; give one, as in subject="),
        ("{mood: 'calm' | 'stormy'}", {}, "as in mood='calm'"),
        ("{age: int[3..9]}", {}, "as in age=3"),
        (
            "{subject}",
            {"subject": "x", "subjekt": "y"},
            "subjekt: the prompt has no such placeholder; did you mean subject?",
        ),
        ("{subject}", {"subject": "x", "zzz": "y"}, "zzz: the prompt has no such placeholder; it has subject"),
        ("no holes", {"zzz": "y"}, "zzz: the prompt has no such placeholder; it has none"),
        ("{subject}", {"subject": 3}, "subject: a text is wanted, not 3"),
        ("{subject}", {"subject": None}, "subject: None is no value"),
        ("{subject}", {"subject": ["a"]}, "subject: a text is wanted, not a value of type list"),
        ("{age: int[0..120]}", {"age": 121}, "age: 121 is above 120"),
        ("{age: int[0..120]}", {"age": -1}, "age: -1 is below 0"),
        ("{age: int}", {"age": 1.5}, "age: a whole number is wanted, not 1.5"),
        ("{age: int}", {"age": True}, "age: a whole number is wanted, not true"),
        ("(fog:{w})", {"w": float("nan")}, "w: nan is no finite number"),
        ("(fog:{w})", {"w": "thick"}, "w: a number is wanted"),
        ("{mood: 'calm' | 'stormy'}", {"mood": "stormi"}, 'did you mean "stormy"?'),
        ("x --ar {r}", {"r": "wide"}, "is no ratio; a ratio is two whole numbers, as in 4:5"),
        ("x --steps {n}", {"n": 0}, "n: 0 is below 1"),
        ("x --steps {n: int}", {"n": 1001}, "n: 1001 is above 1000"),
        ("x --sampler {s}", {"s": "eular"}, 'did you mean "euler"?'),
    ],
)
def test_a_refusal_names_the_value_the_reason_and_the_way_out(
    template: str, values: dict[str, object], message: str
) -> None:
    with pytest.raises(BindError) as error:
        bound(template, **values)
    assert message in str(error.value)


def test_every_refused_value_is_named() -> None:
    with pytest.raises(BindError) as error:
        bound("{a} {b: int} {c}", b="x", d=1)
    assert [refusal.name for refusal in error.value.refusals] == ["d", "a", "b", "c"]


def test_defaults_stand_in_and_never_replace() -> None:
    template = "{mood: 'calm' | 'stormy' = 'calm'} {n = 3}"
    assert text_of(bound(template)) == "calm 3"
    assert text_of(bound(template, mood="stormy", n=0)) == "stormy 0"


def test_a_declared_type_and_its_place_both_count() -> None:
    root = parse("{v}, (fog:{v})")
    loose = Context("", (Parameter("v", Str()),))
    (first, second) = [leaf for leaf in leaves(bind(root, loose, {"v": "1.5"})) if isinstance(leaf, Value)]
    assert (first.text, second.value) == ("1.5", 1.5)
    with pytest.raises(BindError, match="v: "):
        bind(root, loose, {"v": "thick"})
    strict = Context("", (Parameter("v", Float(0.0, 1.0)),))
    with pytest.raises(BindError, match=r"v: 1.5 is above 1"):
        bind(root, strict, {"v": 1.5})


def test_names_that_the_prompt_does_not_use_are_checked_too() -> None:
    context = Context("", (Parameter("v", Str()), Parameter("age", Int(0, 9), 3, False)))
    root = parse("{v}")
    assert text_of(bind(root, context, {"v": "x", "age": 4})) == "x"
    with pytest.raises(BindError, match="age: 10 is above 9"):
        bind(root, context, {"v": "x", "age": 10})


def test_texts_of_a_command_line_are_read_by_type() -> None:
    kinds: dict[str, Type] = {"s": Str(), "i": Int(), "f": Float(), "r": Ratio(), "o": OneOf(("calm", 3))}
    context = Context("", tuple(Parameter(name, kind) for name, kind in kinds.items()))
    texts = {"s": "3", "i": "3", "f": "1.5", "r": "4:5", "o": "3", "unknown": "x"}
    assert read_values(context, texts) == {"s": "3", "i": 3, "f": 1.5, "r": "4:5", "o": 3, "unknown": "x"}
    with pytest.raises(BindError, match="i: "):
        read_values(context, {"i": "three"})
