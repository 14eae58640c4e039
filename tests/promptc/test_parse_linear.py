"""The work grows with the text and no faster, and no depth of brackets costs stack. Counted, not timed."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from promptc.parse import parse
from promptc.parse.brackets import MAX_DEPTH
from promptc.tree import BadBraces, Choice, Emphasis, Node, Stray
from promptc.walk import print_tree, walk


def work(text: str) -> int:
    """Calls of functions while a text is parsed, of Python's and of C's, and so also every node and token made."""
    parse("warm (up:1.2)")
    count = 0

    def tick(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        parse(text)
    finally:
        sys.setprofile(None)
    return count


SHAPES: dict[str, Callable[[int], str]] = {
    "open brackets": lambda n: "(" * n,
    "open braces": lambda n: "{" * n,
    "open raw": lambda n: "{{" * n,
    "closing brackets": lambda n: ")" * n,
    "nested": lambda n: "(" * n + ")" * n,
    "nested choices": lambda n: "{a|" * n + "}" * n,
    "crossed": lambda n: "([" * n + ")]" * n,
    "crossed pairs": lambda n: "([)]" * n,
    "crossed braces": lambda n: "{(" * n + "})" * n,
    "choices": lambda n: "{" + "|".join(["x"] * n) + "}",
    "alternations": lambda n: "[" + "|".join(["x"] * n) + "]",
    "weights": lambda n: "(fog:1.3), " * n,
    "schedules": lambda n: "[a:b:0.5] " * n,
    "placeholders without an end": lambda n: "{a:" * n,
    "quotes without an end": lambda n: "{a:'{a:\"" * n,
    "quotes within quotes": lambda n: '{a:"\\" ' * n,
    "tags without an end": lambda n: "<lora:x" * n,
    "wildcards without an end": lambda n: "__a/" * n,
    "colons": lambda n: "(" + ":" * n + ")",
    "branches": lambda n: "a :1.2 AND " * n,
    "parameters": lambda n: "a " + "--ar 3:2 " * n,
    "escapes": lambda n: "\\(" * n,
    "comments": lambda n: "# a\n" * n,
    "arguments": lambda n: "<lora:x" + ":1" * n + ">",
}


@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    make = SHAPES[name]
    small, large = work(make(1000)), work(make(2000))
    assert large <= 2.2 * small + 200


def test_ten_thousand_open_brackets() -> None:
    root = parse("(" * 10_000)
    assert [type(node) for node in root.branches[0].body] == [Stray] * 10_000


def test_a_line_of_a_megabyte() -> None:
    text = "a fox in the snow, " * 55_000
    root = parse(text)
    assert len(root.branches[0].body) == 1
    assert print_tree(root) == text
    assert work(text) < work(text[:1000]) + 100


def test_a_hundred_thousand_choices() -> None:
    root = parse("{" + "|".join(map(str, range(100_000))) + "}")
    (choice,) = root.branches[0].body
    assert isinstance(choice, Choice)
    assert len(choice.options) == 100_000


def test_a_long_word_after_each_mark_is_read_once() -> None:
    """One regular expression call may itself be long, so these texts would show as time, not as calls."""
    for text in ("(" + "1," * 50_000 + ")", "{ " * 20_000, "{a= " + "'" * 50_000, "[" + "a" * 100_000 + ":1"):
        assert print_tree(parse(text)) == text


def _depth(root: Node) -> int:
    deepest, pending = 0, [(root, 0)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        inside = depth + isinstance(node, Emphasis | Choice | BadBraces)
        pending += [(part, inside) for part in getattr(node, "parts", ())]
    return deepest


def test_depth_is_bounded_and_told_once() -> None:
    fits = parse("(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH)
    assert not [node for node in walk(fits) if isinstance(node, Stray)]
    assert _depth(fits) == MAX_DEPTH
    deep = parse("(" * 5000 + "a:1.2|b" + ")" * 5000)
    assert _depth(deep) == MAX_DEPTH
    (stray,) = [node for node in walk(deep) if isinstance(node, Stray)]
    assert (stray.start, stray.reason) == (MAX_DEPTH, "deep")
    assert not any(isinstance(node, Emphasis) and node.weight for node in walk(deep))


def test_braces_too_deep_are_told_once() -> None:
    deep = parse("{a|" * 5000 + "{x}" + "}" * 5000)
    told = [node for node in walk(deep) if isinstance(node, BadBraces) and node.reason == "deep"]
    assert [node.start for node in told] == [9]
