"""Say what each bracket is, and which colons and bars count.

A bracket's form depends on what stands in it at its own level, up to its end: a bar, a colon with a number after it.
So it is known when the bracket closes, one run before the lexer needs it.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from promptc.parse.scan import Marks

MAX_BRACES = 3
"""Braces within braces."""


class Forms(NamedTuple):
    """What the marks of a text mean.

    `forms` has the terminal of each bracket that opens, or the reason why braces are none; `roles` has the terminal of
    each colon, bar and word that counts.
    """

    forms: dict[int, str]
    roles: dict[int, str]


NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
"""A number as weights are written."""

# What is meant as a weight: a number, something made of digits, dots and commas, or one word.
_WEIGHT = re.compile(r"\s*+(?:[+\-.,]*+[0-9][\d.,]*+(?:[ \t]++[\d.,]++)*+|[+\-]?[\w.,%+\-]++)\s*+")
_BLANK = re.compile(r"\s*+")
_BRANCH_WEIGHT = re.compile(r"\s*+[+\-.,]*+[0-9][^\s]*+\s*+")
_WHEN = re.compile(r"\s*+[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)%?\s*+")
# What is meant as a name: a word that is none, or a few, as in `{user.name}`, `{2nd}`, `{sky colour: str}`.
_WORDS = re.compile(r"\s*+(?![\d.]+:\d)[\w.!\-]++(?:\[\w*+\])?(?: [\w.\-]++){0,2}\s*+(?:[:=][^{}]*+)?")
_NAMED = re.compile(r"\{\s*+[^\W\d]\w*+\s*+[:=]")
OPTION_WEIGHT = re.compile(r"\s*+([+\-]?\.?[0-9][^\s|{}()\[\]<>:\\]*+)\s*+::")
"""The weight at the head of an option."""

_PLAIN_IN_PARAMETERS = frozenset("()[]<>:") | {"word"}
_APART = frozenset(" \t\n\r,;(){}|")


def classify(text: str, marks: Marks, known: Callable[[str, int], bool]) -> Forms:
    """The forms of balanced brackets. Marks that are text where they stand lose their kind.

    `known` says whether the name at an offset is a parameter's, for the dashes that editors make.
    """
    kinds, starts, ends = marks
    forms: dict[int, str] = {}
    roles: dict[int, str] = {}
    size = len(kinds)
    end = size
    opener = -1
    colons: list[int] = []
    bars: list[int] = []
    outer: list[tuple[int, list[int], list[int]]] = []
    braces = 0
    branches = 0
    for index, kind in enumerate(kinds):
        if kind == ":":
            colons.append(index)
        elif kind == "(" or kind == "[" or kind == "{" or kind == "<":
            if kind == "{":
                braces += 1
                if braces == MAX_BRACES + 1:
                    forms[index] = "deep"
            outer.append((opener, colons, bars))
            opener, colons, bars = index, [], []
        elif kind == ")":
            forms[opener] = "ROUND"
            if colons and _is_weight(text, marks, colons[-1], index):
                roles[colons[-1]] = "WEIGHT"
            opener, colons, bars = outer.pop()
        elif kind == "|":
            bars.append(index)
        elif kind == "]":
            forms[opener] = _square(text, marks, opener, index, colons, bars, roles)
            opener, colons, bars = outer.pop()
        elif kind == "}":
            braces -= 1
            if opener not in forms:
                forms[opener] = _brace(text, marks, opener, index, bars, roles)
            opener, colons, bars = outer.pop()
        elif kind == "hole":
            if braces == MAX_BRACES:
                kinds[index] = "deep-hole"
        elif kind == ">":
            forms[opener] = "NETWORK"
            roles.update((colon, "ARGUMENT") for colon in colons)
            opener, colons, bars = outer.pop()
        elif kind == "word":
            if text[starts[index]] == "B":
                roles[index] = "BREAK"
            elif opener < 0:
                roles[index] = "BRANCH"
                branches += 1
                if colons and _is_branch_weight(text, marks, colons[-1], index):
                    roles[colons[-1]] = "WEIGHT"
                colons = []
            else:
                kinds[index] = ""
        elif kind == "dash":
            if opener < 0 and (text[starts[index]] == "-" or known(text, ends[index])):
                end = index
                break
            kinds[index] = ""
    if branches and colons and opener < 0 and _is_branch_weight(text, marks, colons[-1], end):
        roles[colons[-1]] = "WEIGHT"
    if end < size:
        _parameters(text, marks, end, forms, roles, known)
    return Forms(forms, roles)


def _parameters(
    text: str, marks: Marks, first: int, forms: dict[int, str], roles: dict[int, str], known: Callable[[str, int], bool]
) -> None:
    """The parameters: of all structure only braces and wildcards count in their values."""
    kinds, starts, ends = marks
    outer: list[tuple[int, list[int]]] = []
    bars: list[int] = []
    opener = -1
    for index in range(first, len(kinds)):
        kind = kinds[index]
        if kind in _PLAIN_IN_PARAMETERS or (kind == "stray" and text[starts[index]] not in "{}"):
            kinds[index] = ""
        elif kind == "wild":
            start, stop = starts[index], ends[index]
            if text[start - 1] not in _APART or (stop < len(text) and text[stop] not in _APART):
                kinds[index] = ""  # part of an address
        elif kind == "|":
            bars.append(index)
        elif kind == "{":
            if len(outer) == MAX_BRACES:
                forms[index] = "deep"
            outer.append((opener, bars))
            opener, bars = index, []
        elif kind == "}":
            if opener not in forms:
                forms[opener] = _brace(text, marks, opener, index, bars, roles)
            opener, bars = outer.pop()
        elif kind == "hole":
            if len(outer) == MAX_BRACES:
                kinds[index] = "deep-hole"
        elif kind == "dash" and (opener >= 0 or (text[starts[index]] != "-" and not known(text, ends[index]))):
            kinds[index] = ""


def _is_weight(text: str, marks: Marks, colon: int, closer: int) -> bool:
    _, starts, ends = marks
    if colon == closer - 1:
        return _WEIGHT.fullmatch(text, ends[colon], starts[closer]) is not None
    return _is_touching_hole(marks, colon, closer)


def _is_touching_hole(marks: Marks, colon: int, closer: int) -> bool:
    kinds, starts, ends = marks
    hole = colon + 1
    return hole == closer - 1 and kinds[hole] == "hole" and starts[hole] == ends[colon] and ends[hole] == starts[closer]


def _is_branch_weight(text: str, marks: Marks, colon: int, after: int) -> bool:
    """Whether a weight stands after a space, right before AND or at the text's end, comments aside."""
    kinds, starts, ends = marks
    if not starts[colon] or not text[starts[colon] - 1].isspace():
        return False
    while kinds[after - 1] == "comment":
        after -= 1
    stop = starts[after] if after < len(starts) else len(text)
    if colon == after - 1:
        return _BRANCH_WEIGHT.fullmatch(text, ends[colon], stop) is not None
    hole = colon + 1
    if hole != after - 1 or kinds[hole] != "hole" or starts[hole] != ends[colon]:
        return False
    return _BLANK.fullmatch(text, ends[hole], stop) is not None


def _square(
    text: str, marks: Marks, opener: int, closer: int, colons: list[int], bars: list[int], roles: dict[int, str]
) -> str:
    if bars:
        roles.update((bar, "TURN") for bar in bars)
        return "TURN"
    if not colons or len(colons) > 2:
        return "SQUARE"
    _, starts, ends = marks
    when = colons[-1]
    if when == closer - 1:
        if _WHEN.fullmatch(text, ends[when], starts[closer]) is None:
            return "SQUARE"
    elif not _is_touching_hole(marks, when, closer):
        return "SQUARE"
    if (
        ends[opener] == starts[colons[0]]
        and ends[colons[0]] >= ends[when] - 1
        and starts[colons[0]] >= starts[when] - 1
    ):
        return "SQUARE"  # `[:3]`, `[::3]`: nothing to switch
    if len(colons) == 2:
        roles[colons[0]] = "COLON"
    roles[when] = "WHEN"
    return "SWITCH"


def _brace(text: str, marks: Marks, opener: int, closer: int, bars: list[int], roles: dict[int, str]) -> str:
    start, end, stop = marks.starts[opener], marks.ends[opener], marks.starts[closer]
    if not _NAMED.match(text, start) and (bars or end > start + 1 or OPTION_WEIGHT.match(text, end)):
        roles.update((bar, "OPTION") for bar in bars)
        return "CHOICE"
    if _BLANK.fullmatch(text, start + 1, stop):
        return "empty"
    return "name" if _WORDS.fullmatch(text, start + 1, stop) else "content"
