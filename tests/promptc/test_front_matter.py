"""The front matter of a `.prompt` file: values, and the exact place of each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptc.front_matter import Scalar, split
from promptc.source import Source


def read(text: str) -> tuple[Source, object]:
    source = Source("x.prompt", text)
    return source, split(source)


def spelt(source: Source, scalar: Scalar, value: str) -> str:
    """How the part `value` of a scalar stands in the file."""
    start = scalar.text.index(value)
    span = scalar.fragment.span(start, start + len(value))
    return source.text[span.start : span.end]


def test_a_file_without_front_matter_is_all_prompt() -> None:
    front = split(Source("x.prompt", "a fox\n---\nsnow"))
    assert front.body == 0
    assert front.params is None
    assert not front.problems


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_keys_and_params(newline: str) -> None:
    text = newline.join(
        [
            "---",
            "params:",
            "  subject: str",
            '  mood: \'"calm" | "stormy" = "calm"\'',
            "model: landscape",
            "---",
            "a {subject}",
        ]
    )
    source = Source("x.prompt", text)
    front = split(source)
    assert source.text[front.body :] == "a {subject}"
    assert front.params is not None
    assert [(name.text, kind.text) for name, kind in front.params] == [
        ("subject", "str"),
        ("mood", '"calm" | "stormy" = "calm"'),
    ]
    assert front.model is not None
    assert front.model.text == "landscape"
    assert spelt(source, front.params[1][1], "stormy") == "stormy"
    assert not front.problems


@pytest.mark.parametrize(
    ("spelling", "value", "part", "stands"),
    [
        ("blurry, {x}", "blurry, {x}", "{x}", "{x}"),
        ("'it''s {x}'", "it's {x}", "'s", "''s"),
        (r'"a\tb {x}"', "a\tb {x}", "\t", r"\t"),
        (r'"\u00e9 {x}"', "é {x}", "é", r"\u00e9"),
        ("|\n  one\n  two {x}\n", "one\ntwo {x}\n", "two", "two"),
        ("one\n  two {x}", "one two {x}", "two {x}", "two {x}"),
        (">-\n  one\n  two {x}\n", "one two {x}", "{x}", "{x}"),
    ],
)
def test_places_inside_a_scalar(spelling: str, value: str, part: str, stands: str) -> None:
    source = Source("x.prompt", f"---\nnegative: {spelling}\n---\nfox")
    front = split(source)
    assert front.negative is not None
    assert front.negative.text == value
    assert spelt(source, front.negative, part) == stands
    assert source.text[front.body :] == "fox"


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("---\nmodle: x\n---\n", "unknown key `modle`", "modle"),
        ("---\nmodel: x\nmodel: y\n---\n", "`model` stands twice", "model"),
        ("---\n- a\n---\n", "the front matter is no mapping", "- a\n"),
        ("---\nmodel: [a]\n---\n", "`model` takes a text", "[a]"),
        ("---\nparams: [a]\n---\n", "`params` is no mapping", "[a]"),
        ("---\nparams:\n  a: {b: c}\n---\n", "`a` has no type", "{b: c}"),
        ("---\nmodel: x\n", "the front matter is not closed", "---"),
        ("---\na: 'x\n---\n", "the front matter is no YAML", ""),
    ],
)
def test_a_fault_is_one_located_diagnostic(text: str, message: str, at: str) -> None:
    source = Source("x.prompt", text)
    front = split(source)
    (found,) = front.problems
    assert found.message == message
    if at:
        assert source.text[found.span.start : found.span.end] == at


def test_a_misspelt_key_gets_its_nearest_match() -> None:
    (found,) = split(Source("x.prompt", "---\nnegativ: x\n---\n")).problems
    assert "`negative`" in found.help


@given(st.text(alphabet="---\n:{}[]'\"| ab\r\t#&*!%@`,>\x00\ud7ffé", max_size=40))
def test_no_text_raises_and_every_place_lies_inside(body: str) -> None:
    text = f"---\n{body}\n---\nfox"
    source = Source("x.prompt", text)
    front = split(source)
    assert 0 <= front.body <= len(text)
    for found in front.problems:
        assert 0 <= found.span.start <= found.span.end <= len(text)
    for scalar in (front.model, front.negative, front.target):
        if scalar is not None:
            for offset in range(len(scalar.text)):
                span = scalar.fragment.span(offset, offset + 1)
                assert scalar.span.start <= span.start <= span.end <= scalar.span.end
