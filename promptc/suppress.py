"""`# promptc: ignore[E0921]`: a comment that keeps findings of the rules it names from being reported.

In a prompt it counts for the next line that is no comment; above all text it counts for the whole prompt. In a Python
source it counts for the prompt that it stands beside or above: whoever reads the source says for which span.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.pattern import pattern
from promptc.source import FileSpan, Span
from promptc.tree import Comment

CODE, NAME = "W0001", "unused-suppression"

_IGNORE = pattern(r"#+[ \t]*promptc:[ \t]*ignore\b[ \t]*(\[[^\]\r\n]*\]?)?")
_CODE = pattern(r"[^\s,\[\]]+")
_LINE = pattern(r"[^\r\n]*")
_BLANK = pattern(r"[ \t]*(?:\r\n|\n|\r)")


class Suppression(NamedTuple):
    """One comment: the codes or names it gives, with their places, and the span it counts for (None: everything).

    `comment` is what must go when nothing of it is needed.
    """

    codes: tuple[tuple[str, Span], ...]
    comment: Span
    scope: Span | None


def read(text: str, start: int, scope: Span | None, whole: Span | None = None) -> Suppression | None:
    """The suppression in a comment that begins at offset `start`, or None if it holds none.

    `whole` is what to remove with it (a line end, say) when it is not needed.
    """
    match = _IGNORE.search(text)
    if match is None:
        return None
    codes: tuple[tuple[str, Span], ...] = ()
    if match[1] is not None:
        base = start + match.start(1)
        codes = tuple((code.group(), Span(base + code.start(), base + code.end())) for code in _CODE.finditer(match[1]))
    return Suppression(codes, whole or Span(start + match.start(), start + match.end()), scope)


def ignored(comments: Iterable[Comment], text: str) -> list[Suppression]:
    """The suppressions of a prompt's comment lines."""
    found: list[Suppression] = []
    lines = {comment.start: comment.end for comment in comments}
    top = _skip(text, 0, lines)
    for start, end in lines.items():
        scope: Span | None = None
        if start >= top:
            line = _LINE.match(text, _skip(text, end, lines))
            assert line is not None
            scope = Span(line.start(), line.end())
        if (one := read(text[start:end], start, scope, Span(start, end))) is not None:
            found.append(one)
    return found


def _skip(text: str, at: int, comments: dict[int, int]) -> int:
    """The offset of the first line from `at` on that is neither blank nor a comment."""
    while True:
        if at in comments:
            at = comments[at]
        elif blank := _BLANK.match(text, at):
            at = blank.end()
        else:
            return at


def apply(
    found: Sequence[Diagnostic], suppressions: Sequence[Suppression], disabled: Collection[str] = ()
) -> list[Diagnostic]:
    """The findings that are left, and one for each part of a suppression that suppresses nothing.

    Spans of both are in the same text. Codes in `disabled` are switched off for the project, so they are no clutter.
    """
    places = _places(found)
    hidden: set[int] = set()
    unused: list[Diagnostic] = []
    for one in suppressions:
        needed: list[tuple[str, Span]] = []
        for code, span in one.codes:
            named = places.get(code.upper()) or places.get(code) or []
            first, last = (0, len(named)) if one.scope is None else _range(named, one.scope)
            if first < last or code in disabled:
                hidden.update([at for _, at in named[first:last]])
                needed.append((code, span))
        if len(needed) < len(one.codes) or not one.codes:
            unused.append(_unused(one, needed))
    return [finding for at, finding in enumerate(found) if at not in hidden] + unused


def _places(found: Sequence[Diagnostic]) -> dict[str, list[tuple[int, int]]]:
    """Under the code and the name of each rule: where its findings begin and their numbers, in order of place."""
    places: dict[str, list[tuple[int, int]]] = {}
    for at, finding in enumerate(found):
        start = _NOWHERE if isinstance(finding.span, FileSpan) else finding.span.start
        for key in (finding.code, finding.name):
            places.setdefault(key, []).append((start, at))
    for each in places.values():
        each.sort()
    return places


_NOWHERE = -1
"""The place of a finding outside of the text: only a suppression of everything covers it."""


def _range(places: Sequence[tuple[int, int]], scope: Span) -> tuple[int, int]:
    """Which of the places, which are sorted, lie in a scope; its end counts."""
    return bisect_left(places, (scope.start, 0)), bisect_left(places, (scope.end + 1, 0))


def _unused(one: Suppression, needed: Sequence[tuple[str, Span]]) -> Diagnostic:
    if not one.codes:
        return Diagnostic(
            CODE,
            NAME,
            "warning",
            "this comment names no rule to ignore",
            one.comment,
            help="name the rules, as in `# promptc: ignore[E0921]`",
            fixes=(Fix("remove the comment", (Edit(one.comment, ""),)),),
        )
    kept = {code for code, _ in needed}
    stale = [(code, span) for code, span in one.codes if code not in kept]
    from promptc.rules import find, registry
    from promptc.suggest import nearest

    code, span = stale[0]
    way = ""
    if find(code) is None:
        known = [text for rule in registry() for text in (rule.code, rule.name)]
        close = nearest(code, known)
        message = f"there is no rule `{code}`"
        way = f"did you mean `{close}`?" if close else "`promptc explain` lists the rules"
    elif len(stale) > 1:
        message = f"{', '.join(f'`{code}`' for code, _ in stale)} are ignored, and nothing here breaks them"
        span = Span(span.start, stale[-1][1].end)
    else:
        message = f"`{code}` is ignored, and nothing here breaks it"
    if needed:
        inside = Span(one.codes[0][1].start, one.codes[-1][1].end)
        fix = Fix("leave out what is not needed", (Edit(inside, ", ".join(code for code, _ in needed)),), safe=True)
    else:
        fix = Fix("remove the comment", (Edit(one.comment, ""),), safe=True)
    return Diagnostic(CODE, NAME, "warning", message, span, help=way, fixes=(fix,))
