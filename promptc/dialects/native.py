"""Spell a tree in the native language, so that reading the text again gives the tree's shape.

A value may hold any character, and stands between any others. So a run of text and values is spelt as one: whatever
would mean something there, and has a character of a value in it, gets a backslash. What is spelt is read again and
compared; where the template's own text has come to mean something beside a value, that is protected as well, and where
no backslash helps, the value that is to blame is named.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias, cast

from promptc.parse import parse
from promptc.parse.forms import NUMBER
from promptc.parse.scan import DASHES
from promptc.tree import (
    Alternation,
    Argument,
    BadBraces,
    Branch,
    Choice,
    Comment,
    Emphasis,
    Escape,
    Leaf,
    Mark,
    Network,
    Node,
    Number,
    Parameter,
    Placeholder,
    Root,
    Schedule,
    Stray,
    Text,
    Value,
    Wildcard,
)
from promptc.walk import leaves, print_tree

__all__ = ["Unspeakable", "emit", "print_tree", "shape"]


class Unspeakable(ValueError):
    """A value that the language cannot spell at its place. `name` is its placeholder's; None where it is no value."""

    def __init__(self, name: str | None, reason: str) -> None:
        super().__init__(f"{name}: {reason}" if name else reason)
        self.name, self.reason = name, reason


def emit(root: Root, *, comments: bool = False) -> str:
    """The text of a tree with its values in it; `parse` makes the same shape of it. Raises Unspeakable.

    With `comments`, the text goes to a source that has some, as it does where the tree has one.
    """
    wanted = shape(root)
    comments = comments or any(type(leaf) is Comment for leaf in leaves(root))
    for careful in (False, True):
        text = _spell(root, careful)
        if shape(parse(text, comments=comments)) == wanted:
            return text
    name = _culprit(root, comments)
    what = f"`{name}`" if name else "the text"
    raise Unspeakable(name, f"{what} would read as something else beside its neighbours")


def _culprit(root: Root, comments: bool) -> str | None:
    """The first value without which the rest can be spelt."""
    names = list(dict.fromkeys(leaf.name for leaf in leaves(root) if isinstance(leaf, Value)))
    for name in names:
        plain = _replaced(root, name)
        if shape(parse(_spell(plain, True), comments=comments)) == shape(plain):
            return name
    return names[0] if names else None


def _replaced(root: Root, name: str) -> Root:
    """The tree with something harmless in the place of a value."""
    numbers = {id(node) for node, place in _places(root) if place.whole}

    def renew(item: Any) -> Any:
        if isinstance(item, tuple):
            return tuple([renew(each) for each in item])
        if isinstance(item, Value) and item.name == name:
            return replace(item, text="1" if id(item) in numbers else ",")
        if not hasattr(item, "parts"):
            return item
        return type(item)(*[renew(getattr(item, field)) for field in item.__match_args__])

    return cast(Root, renew(root))


# Shape

Event: TypeAlias = tuple[str, ...]


def shape(root: Root) -> list[Event]:
    """What a tree says: its nodes with their text, however characters are escaped and whatever is a value."""
    events: list[Event] = []
    text: list[str] = []
    for node, place in _places(root):
        kind = type(node)
        if (kind is Text or kind is Value) and not place.whole:
            text.append(cast(Text, node).text)
            continue
        if kind is Escape:
            text.append(cast(Escape, node).value)
            continue
        if text and (joined := "".join(text)):
            events.append(("text", joined))
        text.clear()
        events.append(_event(node, place))
    if text and (joined := "".join(text)):
        events.append(("text", joined))
    return events


def _event(node: Node, place: "_Place") -> Event:
    if place.end:
        return ("end", type(node).__name__)
    if isinstance(node, Placeholder | Wildcard):
        return (type(node).__name__, "".join([leaf.text for leaf in leaves(node)]))
    if isinstance(node, Number | Value | Text):
        return ("whole", node.text)
    if isinstance(node, Mark | Stray | Comment) or not hasattr(node, "parts"):
        return (type(node).__name__, node.text)
    return (type(node).__name__, getattr(node, "reason", ""))


class _Place(NamedTuple):
    """Where a node stands: what of its characters could mean something there."""

    brackets: bool = False
    braces: bool = False
    tag: bool = False
    parameter: bool = False
    prompt: bool = False  # the value of a parameter that is a prompt of its own
    composed: bool = False
    whole: bool = False
    end: bool = False


_WHOLE = (Placeholder, Wildcard)
_BRACKETS = (Emphasis, Schedule, Alternation)


def _places(root: Root) -> Iterator[tuple[Node, _Place]]:
    """The nodes of a tree in order, each with its place; an inner node comes again at its end."""
    pending: list[tuple[Node, _Place]] = [(root, _Place(composed=len(root.branches) > 1))]
    while pending:
        node, place = pending.pop()
        yield node, place
        parts: tuple[Node, ...] | None = getattr(node, "parts", None)
        if parts is None or place.end or isinstance(node, _WHOLE):
            continue
        pending.append((node, place._replace(end=True)))
        inside = place
        whole: Node | None = None  # a part that is no text among text
        if isinstance(node, _BRACKETS):
            inside = place._replace(brackets=True)
        elif isinstance(node, Choice | BadBraces):
            inside = place._replace(brackets=True, braces=True)
        elif isinstance(node, Network):
            inside = place._replace(tag=True)
            whole = node.kind
        elif isinstance(node, Parameter):
            inside = place._replace(parameter=True, prompt=_is_prompt(node))
            whole = node.name
        if isinstance(node, Emphasis | Branch):
            whole = node.weight
        elif isinstance(node, Schedule):
            whole = node.when
        elif isinstance(node, Argument) and not isinstance(node.value, Text):
            whole = node.value
        pending.extend((part, inside._replace(whole=True) if part is whole else inside) for part in reversed(parts))


def _is_prompt(parameter: Parameter) -> bool:
    from promptc.parameters import find  # brings the table in

    spec = find(parameter)
    return spec is not None and spec.kind == "text"


# Spelling


def _spell(root: Root, careful: bool) -> str:
    out: list[str] = []
    run: list[tuple[str, bool]] = []  # text, and whether it may be escaped
    last = ""

    def flush(place: _Place, after: str) -> None:
        nonlocal last
        if run:
            spelt = _escape(last, run, after, place)
            out.append(spelt)
            last = spelt[-1:] or last
            run.clear()

    at = _Place()
    for node, place in _places(root):
        kind = type(node)
        if ((kind is Text or kind is Value) and not place.whole) or (careful and kind is Escape):
            leaf = cast("Text | Value | Escape", node)
            if kind is Value and place.tag and re.search(r"[\n\r]", leaf.text):
                raise Unspeakable(cast(Value, leaf).name, "a tag ends on its line, and the value has a line break")
            run.append((leaf.value if isinstance(leaf, Escape) else leaf.text, careful or kind is Value))
            at = place
        elif not hasattr(node, "parts") or kind in _WHOLE:
            text = "".join([leaf.text for leaf in leaves(node)]) if kind in _WHOLE else cast(Leaf, node).text
            if kind is Value and NUMBER.fullmatch(text) is None:
                name = cast(Value, node).name
                raise Unspeakable(name, f"`{text}` is no number, and `{name}` stands where one belongs")
            if text:
                flush(at, text[0])
                out.append(text)
                last = text[-1]
    flush(at, "")
    return "".join(out)


_AND = r"ND(?:(?![\w\-])|(?=__))"  # the underscores after it will have a backslash
_BREAK = r"REAK(?:(?![\w\-])|(?=__))"
_WORDS = rf"(?<![\w\-])A(?={_AND})|(?<![\w\-])B(?={_BREAK})"
_DASH = rf"(?<!\S)-(?=-[A-Za-z])|(?<!\S)[{DASHES}](?=[{DASHES}]?(?!A{_AND}|B{_BREAK})[A-Za-z])"
_LINE = r"(?<![^\n\r])[ \t]*\#"
_UNDERSCORES = r"_(?=_)|(?<=_)_"


@cache
def _pattern(place: _Place) -> re.Pattern[str]:
    if place.tag:
        return re.compile(r"[\\{}<>:" + ("|]" if place.braces else "]"))
    if place.parameter and not place.prompt:
        return re.compile(rf"[\\{{}}{'|$:' if place.braces else ''}]|{_DASH}|{_LINE}|{_UNDERSCORES}")
    marks = r"\\()\[\]{}" + ("|:" if place.brackets or place.prompt else "") + ("$" if place.braces else "")
    tags = r"<(?=[A-Za-z])|<\Z"
    weight = r"(?<=\s):" if place.composed and not place.brackets else r"(?!)"
    return re.compile(rf"[{marks}]|{tags}|{weight}|{_WORDS}|{_DASH}|{_LINE}|{_UNDERSCORES}")


def _escape(before: str, run: list[tuple[str, bool]], after: str, place: _Place) -> str:
    """A run of text and values between two characters, with a backslash where a value has a part in something."""
    joined = before + "".join([text for text, _ in run]) + after
    stop = len(joined) - len(after)
    free = bytearray(len(joined) + 1)  # the characters of values
    at = len(before)
    for text, escapable in run:
        if escapable:
            free[at : at + len(text)] = b"\1" * len(text)
        at += len(text)
    if 1 not in free:
        return joined[len(before) : stop]
    out: list[str] = []
    at = len(before)
    for match in _pattern(place).finditer(joined, at):
        char = match.end() - 1
        if char >= stop:
            break
        # A mark of several characters is a value's if any of them is.
        reach = _REACH.get(joined[char], 1)
        if 1 in free[max(char - (reach == 2), 0) : char + reach]:
            out += (joined[at:char], "\\")
            at = char
    out.append(joined[at:stop])
    return "".join(out)


_REACH = {"A": 3, "B": 5, "-": 2, "_": 2} | dict.fromkeys(DASHES, 2)
