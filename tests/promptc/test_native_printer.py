"""A bound tree as text: read again it has the same shape, and each value is the text it was."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.bind import fill
from promptc.choose import expand
from promptc.dialects.native import Unspeakable, emit, print_tree, shape
from promptc.parse import parse
from promptc.tree import Root, Value
from promptc.walk import leaves


def bound(template: str, **values: object) -> Root:
    return fill(parse(template, comments=True), values)


# Where a text may stand, and what may stand beside it.
TEMPLATES = [
    "{x}",
    "portrait of {x} at night",
    "{x}{x}",
    "a{x}b",
    "({x}) [{x}]",
    "((a {x}) b:1.2)",
    "(fog {x}:{x}:1.2)",
    "[{x} a:{x}:0.5]",
    "[{x}|b|{x}]",
    "{a|{x}|b {x}}",
    "{3:: {x}|2::{x}}",
    "{2$${x}|b}",
    "{1-2$$ and $$ {x}|b}",
    "{a|[b:{x}:5]|({x}:1.1)}",
    "a {x} AND b {x} :2",
    "a\n{x}\n# a comment\nb",
    "a --no {x} --ar 3:2",
    "a --no {b|{x}} {x}",
    "BREAK {x} __a__, {x} (b) {{c}} <lora:d:1>",
]

PIECES = st.sampled_from(
    [
        *"()[]{}<>|:_\\#$-,\"' \n\t5é",
        *("{{", "}}", "$$", "__", "::", "--", "—", "–", "\r\n", "AND", "BREAK", " AND ", "\\AND"),
        *("--ar 3:2", "—ar 3:2", " :1.2", "1.2", "3", "{n}", "{a|b}", "<lora:x:1>", "__a__", "# c\n", "2$$", "name"),
    ]
)
VALUES = st.one_of(st.lists(PIECES, max_size=8).map("".join), st.text(max_size=20))


@given(st.sampled_from(TEMPLATES), VALUES)
@settings(max_examples=800, deadline=None)
def test_the_shape_is_that_of_the_bound_tree(template: str, value: str) -> None:
    tree = bound(template, x=value)
    text = emit(tree)
    assert shape(parse(text, comments=True)) == shape(tree)


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_a_value_alone_reads_as_its_text(value: str) -> None:
    again = parse(emit(bound("{x}", x=value)), comments=True)
    assert shape(again) == (
        [("Root", ""), ("Branch", ""), ("text", value), ("end", "Branch"), ("end", "Root")]
        if value
        else [("Root", ""), ("Branch", ""), ("end", "Branch"), ("end", "Root")]
    )


@given(st.lists(PIECES, max_size=20).map("".join))
@settings(max_examples=300, deadline=None)
def test_a_tree_without_values_is_printed_as_it_was(text: str) -> None:
    assert print_tree(parse(text)) == text
    assert emit(parse(text)) == text


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("a {x} b", "fox", "a fox b"),
        ("a {x} b", "fox (red)", "a fox \\(red\\) b"),
        ("a {x} b", "snake_case, C#, 50%, $5, 3 < 4, a|b, a: b", "a snake_case, C#, 50%, $5, 3 < 4, a|b, a: b b"),
        ("a {x} b", "rock AND roll", "a rock \\AND roll b"),
        ("a {x} b", "BREAK", "a \\BREAK b"),
        ("a {x} b", "BREAKER SANDY", "a BREAKER SANDY b"),
        ("a {x} b", "x --ar 3:2", "a x \\--ar 3:2 b"),
        ("a {x} b", "x —ar 3:2", "a x \\—ar 3:2 b"),
        ("a {x} b", "__colors__", "a \\_\\_colors\\_\\_ b"),
        ("a {x} b", "{n}", "a \\{n\\} b"),
        ("a {x} b", "C:\\(x", "a C:\\\\\\(x b"),
        ("{x}", "# no comment", "\\# no comment"),
        ("(a {x})", "b:1.3", "(a b\\:1.3)"),
        ("(fog:1.{x})", "3", "(fog\\:1.3)"),
        ("rock A{x} roll", "ND", "rock \\AND roll"),
        ("[a:{x}:0.5]", "b:c", "[a:b\\:c:0.5]"),
        ("{a|{x}}", "b|c", "{a|b\\|c}"),
        ("{ {x}|b}", "2$$", "{ 2\\$\\$|b}"),
        ("{a|{x}}", "3::b", "{a|3\\:\\:b}"),
        ("<lora:{x}:1>", "a:b>c", "<lora:a\\:b\\>c:1>"),
        ("a {x} AND b", "c :1.2", "a c \\:1.2 AND b"),
        ("(fog:{x})", 1.3, "(fog:1.3)"),
        ("[a:b:{x}]", 5, "[a:b:5]"),
        ("a :{x} AND b", -0.5, "a :-0.5 AND b"),
        ("<lora:a:te={x}>", 0.8, "<lora:a:te=0.8>"),
        ("a --seed {x}", 7, "a --seed 7"),
        ("a --ar {x}", "4:5", "a --ar 4:5"),
        ("a --no {x}", "(haze:2)", "a --no \\(haze\\:2\\)"),
        ("a {x}", "", "a "),
    ],
)
def test_spelling(template: str, value: object, text: str) -> None:
    tree = bound(template, x=value)
    assert emit(tree) == text
    assert shape(parse(text, comments=True)) == shape(tree)


@pytest.mark.parametrize(
    ("template", "value", "reason"),
    [
        ("(fog:{x})", "strong", "`strong` is no number, and `x` stands where one belongs"),
        ("<lora:{x}:1>", "a\nb", "a tag ends on its line, and the value has a line break"),
        ("{x}__a__", "b", "`x` would read as something else beside its neighbours"),
        ("a {x}BREAK", "b", "`x` would read as something else beside its neighbours"),
        ("a --no{x}", "b", "`x` would read as something else beside its neighbours"),
    ],
)
def test_what_cannot_be_spelt_is_named(template: str, value: str, reason: str) -> None:
    with pytest.raises(Unspeakable) as caught:
        emit(bound(template, x=value))
    assert (caught.value.name, caught.value.reason) == ("x", reason)


def test_the_value_that_is_to_blame_is_named() -> None:
    with pytest.raises(Unspeakable) as caught:
        emit(bound("{a} {b}__c__ {d}", a="x", b="x", d="x"))
    assert caught.value.name == "b"


def test_alternatives_that_were_picked_stay_text() -> None:
    """In a choice AND is text; where the choice has been made, it would not be."""
    (tree,) = [each for each in expand(parse("a {rock AND roll|b}")) if "AND" in print_tree(each)]
    assert emit(tree) == "a rock \\AND roll"


def test_a_value_keeps_its_place_in_the_tree() -> None:
    tree = bound("a {x} b", x="(y)")
    assert [leaf.text for leaf in leaves(tree) if isinstance(leaf, Value)] == ["(y)"]
    assert print_tree(tree) == "a (y) b"
