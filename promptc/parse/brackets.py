"""Pair the brackets of a text with one stack, and say of each that has no partner why it has none.

Braces are paired first, among themselves: they hold the structure. A round or square bracket pairs within its braces.
Brackets that overlap are one mistake, told at the one that opens; its partner becomes text.
"""

from promptc.parse.scan import Marks

MAX_DEPTH = 64
"""Brackets within brackets; deeper ones are told once, and read as text."""

_OPENER = {")": "(", "]": "["}
_BRACKETS = frozenset("()[]{}<>")
_STRUCTURE = _BRACKETS | frozenset("|:")

Reason = tuple[str, int | None]


def pair(marks: Marks) -> dict[int, Reason]:
    """The strays among the marks: why, and where the bracket begins that one crosses.

    What is no bracket any more loses its kind, so that the brackets left over are balanced.
    """
    kinds, starts, ends = marks
    strays: dict[int, Reason] = {}
    if kinds.count("{") or kinds.count("}"):
        _pair_braces(kinds, starts, ends, strays)
    if "open-tag" in kinds:
        strays.update((index, ("unclosed", None)) for index, kind in enumerate(kinds) if kind == "open-tag")
    _pair_brackets(kinds, starts, strays)
    for index in strays:
        kinds[index] = "stray"
    if len(kinds) > 2 * MAX_DEPTH:
        _bound(kinds, strays)
    return strays


def _pair_braces(kinds: list[str], starts: list[int], ends: list[int], strays: dict[int, Reason]) -> None:
    opened: list[int] = []
    for index, kind in enumerate(kinds):
        if kind == "{":
            opened.append(index)
        elif kind == "}":
            if opened:
                opened.pop()
            else:
                strays[index] = ("unopened", None)
    for index in reversed(opened):
        ends[index] = starts[index] + 1  # without a partner, what stands behind it is no count
        strays[index] = ("unclosed", None)
        if strays.get(index + 1) == ("unclosed", None) and starts[index + 1] == ends[index] and kinds[index + 1] == "{":
            # `{{` that is never closed is one mistake
            ends[index] = ends[index + 1]
            del strays[index + 1]
            kinds[index + 1] = ""
    for index in strays:
        kinds[index] = "stray"


def _pair_brackets(kinds: list[str], starts: list[int], strays: dict[int, Reason]) -> None:
    stack: list[int] = []  # openers, and braces as barriers
    open_now = {"(": 0, "[": 0}
    outer: list[tuple[dict[str, int], int]] = []
    lost: dict[int, int] = {}  # a bracket without a partner, and the one that cuts it off
    for index, kind in enumerate(kinds):
        if kind == "(" or kind == "[":
            stack.append(index)
            open_now[kind] += 1
        elif kind == ")" or kind == "]":
            opener = _OPENER[kind]
            if open_now[opener]:
                crossed: list[int] = []
                while kinds[stack[-1]] != opener:
                    crossed.append(stack.pop())
                    open_now[kinds[crossed[-1]]] -= 1
                found = stack.pop()
                open_now[opener] -= 1
                lost.update((each, found) for each in crossed)
            else:
                lost[index] = outer[-1][1] if outer else -1
        elif kind == "{":
            outer.append((open_now, index))
            open_now = {"(": 0, "[": 0}
            stack.append(index)
        elif kind == "}":
            open_now, brace = outer.pop()
            while stack[-1] != brace:
                lost[stack.pop()] = brace
            stack.pop()
    for index in stack:
        lost[index] = -1
    if lost:
        _pair_lost(kinds, starts, lost, strays)


def _pair_lost(kinds: list[str], starts: list[int], lost: dict[int, int], strays: dict[int, Reason]) -> None:
    """Brackets that overlap another pair are partners all the same, and one mistake."""
    waiting: dict[str, list[int]] = {"(": [], "[": []}
    for index in sorted(lost):
        kind = kinds[index]
        if kind in waiting:
            waiting[kind].append(index)
        elif waiting[_OPENER[kind]]:
            opener = waiting[_OPENER[kind]].pop()
            cut = lost[opener] if lost[opener] >= 0 else lost[index]
            strays[opener] = ("crossed", starts[cut] if cut >= 0 else None)
            kinds[index] = ""
        else:
            strays[index] = ("unopened", None)
    for openers in waiting.values():
        strays.update((index, ("unclosed", None)) for index in openers)


def _bound(kinds: list[str], strays: dict[int, Reason]) -> None:
    """Make text of what lies deeper than the bound: the bracket that goes too deep is a stray, all within it text."""
    depth = 0
    for index, kind in enumerate(kinds):
        if kind not in _STRUCTURE:
            continue
        if kind in "([{<":
            depth += 1
            if depth > MAX_DEPTH:
                kinds[index] = ""
                if depth == MAX_DEPTH + 1:
                    kinds[index] = "stray"
                    strays[index] = ("deep", None)
        elif kind in ")]}>":
            if depth > MAX_DEPTH:
                kinds[index] = ""
            depth -= 1
        elif depth > MAX_DEPTH:
            kinds[index] = ""
