"""Marks and what they mean, as the terminals of the grammar. A terminal brings its leaves with it."""

import math
import re
from collections.abc import Callable
from typing import Any, ClassVar

from promptc.parse.brackets import pair
from promptc.parse.forms import NUMBER, OPTION_WEIGHT, classify
from promptc.parse.scan import Marks, scan
from promptc.tree import (
    BadBraces,
    Break,
    Comment,
    Escape,
    Mark,
    Number,
    Placeholder,
    Raw,
    Stray,
    Text,
    Wildcard,
)


class Token:
    """A terminal: its name, the node or the meaning it stands for, and the leaves where there are several."""

    __slots__ = ("leaves", "start", "type", "value")

    # Lark takes the place of the last token for its end token; ours are never asked for one.
    start_pos: ClassVar[None] = None
    line: ClassVar[None] = None
    column: ClassVar[None] = None
    end_line: ClassVar[None] = None
    end_column: ClassVar[None] = None
    end_pos: ClassVar[None] = None

    def __init__(self, type_: str, value: Any, leaves: Any = (), start: int = 0) -> None:
        self.type = type_
        self.value = value
        self.leaves = leaves
        self.start = start


_CLOSERS = frozenset(")]}>")


def tokens(text: str, comments: bool = False) -> list[Token]:
    """The terminals of a text, from first to last character."""
    marks = scan(text, comments)
    kinds, starts, ends = marks
    if not kinds:
        head = Token("BRANCH", None, (), 0)
        return [head, Token("TEXT", Text(0, len(text), text))] if text else [head]
    strays = pair(marks)
    forms, roles = classify(text, marks, _known)
    made = [Token("BRANCH", None, (), 0)]
    add = made.append
    at = 0
    weighed = "::" in text
    for index, kind in enumerate(kinds):
        start = starts[index]
        if start < at or not kind:
            continue
        role = ""
        if kind == ":" or kind == "|":
            role = roles.get(index, "")
            if not role:
                continue
        end = ends[index]
        if start > at:
            add(Token("TEXT", Text(at, start, text[at:start])))
        at = end
        if kind == "(" or kind == "[":
            form = forms[index]
            add(Token(form, Mark(start, end, kind)))
            if form == "TURN":
                add(Token("OPTION", (None, ()), (), end))
        elif kind in _CLOSERS:
            add(Token("END", Mark(start, end, kind)))
        elif kind == ":":
            if role == "COLON":
                add(Token(role, Mark(start, end, ":")))
            else:
                token, at = (_argument if role == "ARGUMENT" else _weight)(text, marks, index, role)
                add(token)
        elif kind == "|":
            token, at = _option(text, (Mark(start, end, "|"),), end, weighed and role == "OPTION")
            add(token)
        elif kind == "hole":
            add(Token("PLACEHOLDER", placeholder(text, start, end)))
        elif kind == "{":
            form = forms[index]
            if form == "CHOICE":
                add(_choice(text, start, end))
                token, at = _option(text, (), end, weighed)
                add(token)
            else:
                at = start + 1
                add(Token("BRACES", form, Mark(start, at, "{"), start))
        elif kind == "word":
            if roles[index] == "BRANCH":
                add(Token("BRANCH", Mark(start, end, "AND"), (), end))
            else:
                add(Token("BREAK", Break(start, end, "BREAK")))
        elif kind == "dash":
            token, at = _parameter(text, start, end)
            add(token)
        elif kind == "stray":
            reason, opened = strays[index]
            add(Token("STRAY", Stray(start, end, text[start:end], reason, opened)))  # type: ignore[arg-type]
        else:
            add(_LEAVES[kind](text, start, end))
    if at < len(text):
        add(Token("TEXT", Text(at, len(text), text[at:])))
    return made


def _escape(text: str, start: int, end: int) -> Token:
    return Token("ESCAPE", Escape(start, end, text[start:end], text[start + 1 : end]))


def _raw(text: str, start: int, end: int) -> Token:
    return Token("RAW", Raw(start, end, text[start:end], text[start + 1 : end - 1]))


def _comment(text: str, start: int, end: int) -> Token:
    return Token("COMMENT", Comment(start, end, text[start:end]))


def _wildcard(text: str, start: int, end: int) -> Token:
    name = Text(start + 2, end - 2, text[start + 2 : end - 2])
    parts = (Mark(start, start + 2, "__"), name, Mark(end - 2, end, "__"))
    return Token("WILDCARD", Wildcard(start, end, parts, name))


def _tag(text: str, start: int, end: int) -> Token:
    kind = Text(start + 1, end - 1, text[start + 1 : end - 1])
    return Token("NETWORK", kind, (Mark(start, start + 1, "<"), kind, Mark(end - 1, end, ":")), start)


def _deep(text: str, start: int, end: int) -> Token:
    inside = Text(start + 1, end - 1, text[start + 1 : end - 1])
    parts = (Mark(start, start + 1, "{"), inside, Mark(end - 1, end, "}"))
    return Token("PLACEHOLDER", BadBraces(start, end, parts, "deep"))


_LEAVES: dict[str, Callable[[str, int, int], Token]] = {
    "escape": _escape,
    "raw": _raw,
    "comment": _comment,
    "wild": _wildcard,
    "<": _tag,
    "deep-hole": _deep,
}


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without the blanks around it."""
    part = text[start:end]
    first = start + len(part) - len(part.lstrip())
    return (first, first + len(part.strip())) if first < end else (end, end)


def _padded(text: str, start: int, node: Any, end: int) -> list[Any]:
    """A leaf with the blanks before and after it."""
    leaves = [node]
    if start < node.start:
        leaves.insert(0, Text(start, node.start, text[start : node.start]))
    if node.end < end:
        leaves.append(Text(node.end, end, text[node.end : end]))
    return leaves


def number(text: str, start: int, end: int) -> Number:
    """A leaf for what stands where a number belongs; `50%` is 0.5."""
    written = text[start:end]
    percent = written.endswith("%")
    found = NUMBER.fullmatch(written[:-1] if percent else written)
    value = None if found is None else float(found[0])
    if value is None or math.isinf(value):
        return Number(start, end, written, None)
    return Number(start, end, written, value / 100 if percent else value)


def _weight(text: str, marks: Marks, index: int, role: str) -> tuple[Token, int]:
    """The colon, and the number or placeholder after it, up to the next mark."""
    kinds, starts, ends = marks
    at = ends[index]
    colon = Mark(starts[index], at, ":")
    after = index + 1
    node: Number | Placeholder
    if after < len(kinds) and NUMBER.fullmatch(text, at, stop := starts[after]):  # the usual `:1.3)`
        node = number(text, at, stop)
        return Token(role, node, (colon, node), colon.start), stop
    if after < len(kinds) and kinds[after] == "hole":
        node = placeholder(text, starts[after], ends[after])
        after += 1
    stop = starts[after] if after < len(kinds) else len(text)
    if after == index + 1:
        node = number(text, *_trimmed(text, colon.end, stop))
        if role == "WEIGHT" and node.text.endswith("%"):
            node = Number(node.start, node.end, node.text, None)
    return Token(role, node, [colon, *_padded(text, colon.end, node, stop)], colon.start), stop


_KEY = re.compile(r"\s*+([A-Za-z]\w*+)\s*+=")
_AMOUNT = re.compile(r"[+\-]?\.?[0-9][\w.+\-%]*+")


def _argument(text: str, marks: Marks, index: int, role: str) -> tuple[Token, int]:
    """An argument's colon and key, and its value too where that is plain text up to the next colon."""
    kinds, starts, ends = marks
    colon = Mark(starts[index], ends[index], ":")
    at, leaves, key = colon.end, [], None
    value: Number | Text | None = None
    found = _KEY.match(text, at)
    if found is not None:
        first, last = found.span(1)
        key = Text(first, last, found[1])
        leaves = [*_padded(text, at, key, found.end() - 1), Mark(found.end() - 1, found.end(), "=")]
        at = found.end()
    if kinds[index + 1] == ":" or kinds[index + 1] == ">":
        stop = starts[index + 1]
        first, last = _trimmed(text, at, stop)
        value = (
            number(text, first, last) if _AMOUNT.fullmatch(text, first, last) else Text(first, last, text[first:last])
        )
        leaves += _padded(text, at, value, stop)
        at = stop
    return Token(role, (colon, key, value), leaves, colon.start), at


def _option(text: str, bar: tuple[Mark, ...], start: int, weighed: bool) -> tuple[Token, int]:
    """The head of an alternative: the bar before it, and in a choice its weight."""
    found = OPTION_WEIGHT.match(text, start) if weighed else None
    if found is None:
        return Token("OPTION", (None, ()), bar, start), start
    end = found.end()
    weight = number(text, *found.span(1))
    leaves = (*_padded(text, start, weight, end - 2), Mark(end - 2, end, "::"))
    return Token("OPTION", (weight, leaves), bar, start), end


_COUNT = re.compile(r"([0-9]++)(?:(\s*+-\s*+)([0-9]++))?")


def _choice(text: str, start: int, end: int) -> Token:
    """The head of a choice: its brace, and `count$$` or `count$$separator$$`."""
    opened = Mark(start, start + 1, "{")
    if end == start + 1:
        return Token("CHOICE", (None, None, None), (opened,), start)
    stop = text.index("$$", start)
    first, last = _trimmed(text, start + 1, stop)
    found = _COUNT.fullmatch(text, first, last)
    low = high = number(text, first, found.end(1)) if found is not None else Number(first, last, text[first:last], None)
    leaves: list[Any] = [opened, *_padded(text, start + 1, low, low.end)]
    if found is not None and found[3] is not None:
        high = number(text, *found.span(3))
        leaves += (Mark(low.end, high.start, found[2]), high)
    if high.end < stop:
        leaves.append(Text(high.end, stop, text[high.end : stop]))
    leaves.append(Mark(stop, stop + 2, "$$"))
    separator = None
    if end > stop + 2:
        separator = Text(stop + 2, end - 2, text[stop + 2 : end - 2])
        leaves += (separator, Mark(end - 2, end, "$$"))
    return Token("CHOICE", (low, high, separator), leaves, start)


_NAME = re.compile(r"[^\s(){}\[\]<>|\\]*+")


def _parameter(text: str, start: int, end: int) -> tuple[Token, int]:
    stop = _NAME.match(text, end).end()  # type: ignore[union-attr]
    return Token("PARAMETER", None, (Mark(start, end, text[start:end]), Text(end, stop, text[end:stop])), start), stop


_LETTERS = re.compile(r"[A-Za-z][A-Za-z\-]*+")


def _known(text: str, at: int) -> bool:
    """Whether the name at an offset is a parameter's, alone or with digits stuck to it."""
    from promptc.parameters import names  # only a text with an editor's dash pays for the table

    name = _NAME.match(text, at)[0].lower()  # type: ignore[index]
    if name in names():
        return True
    letters = _LETTERS.match(name)
    return letters is not None and letters[0] in names() and name[letters.end()].isdigit()


_EQUALS = re.compile(r"""((?:(?<=[:=|,\[(])\s*+(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')|[^=])*+)=""", re.DOTALL)
_HEAD = re.compile(r"\{\s*+([^\W\d]\w*+)\s*+")


def placeholder(text: str, start: int, end: int) -> Placeholder:
    """The node of a whole placeholder."""
    head = _HEAD.match(text, start)
    assert head is not None
    first, last = head.span(1)
    name = Text(first, last, head[1])
    if head.end() == end - 1 and first == start + 1 and last == end - 1:
        return Placeholder(start, end, (Mark(start, first, "{"), name, Mark(last, end, "}")), name, None, None)
    at = head.end()
    parts: list[Any] = [Mark(start, start + 1, "{"), *_padded(text, start + 1, name, at)]
    annotation: Text | None = None
    default: Text | None = None
    if text[at] == ":":
        found = _EQUALS.match(text, at + 1, end - 1)
        stop = found.end() - 1 if found is not None else end - 1
        annotation = _said(text, at + 1, stop)
        parts += (Mark(at, at + 1, ":"), *_padded(text, at + 1, annotation, stop))
        at = stop
    if text[at] == "=":
        default = _said(text, at + 1, end - 1)
        parts += (Mark(at, at + 1, "="), *_padded(text, at + 1, default, end - 1))
    parts.append(Mark(end - 1, end, "}"))
    return Placeholder(start, end, tuple(parts), name, annotation, default)


def _said(text: str, start: int, end: int) -> Text:
    first, last = _trimmed(text, start, end)
    return Text(first, last, text[first:last])
