"""Find the marks of a text: one expression, one run over the text, each mark a kind, a start and an end.

What lies between marks is plain text. No mark is judged here: a colon is a mark wherever it stands, and a bracket
whether or not it has a partner.
"""

import re
from typing import NamedTuple


class Marks(NamedTuple):
    """The marks of a text in order, as three lists of the same length.

    A kind is a bracket, `|` or `:` itself, or one of: `escape`, `raw`, `hole` (a whole placeholder), `wild`, `word`
    (AND, BREAK), `dash` (before a parameter), `comment`, `open-tag` (a network that is never closed); and empty once
    the mark has turned out to be text.
    """

    kinds: list[str]
    starts: list[int]
    ends: list[int]


DASHES = "‒–—―−"
"""What editors make of two hyphens."""

ESCAPED = "()[]{}<>|:_\\#$"
"""A backslash before any of these protects it."""

# Text that cannot begin a mark is passed over at once; what is left is tried mark by mark. Quantifiers are possessive:
# no part of a text is read twice by the same attempt.
_MARKS = rf"""
(?:
    [^\\(){{}}\[\]<>|:_AB{DASHES}\-\n\r]++
  | A(?!ND) | B(?!REAK) | -(?!-) | _(?!_) | [{DASHES}](?![A-Za-z{DASHES}]) | <(?![A-Za-z])
  | [\n\r]@
)*+
(?:
    (?P<mark>[()\[\]|:>}}])
  | (?P<raw>\{{\{{)
  | (?P<hole>\{{\s*+[^\W\d]\w*+\s*+[}}:=])
  | (?P<brace>\{{(?:\s*+(?:[+\-]?[0-9][^|{{}}()\[\]<>$:\\]*+|[^\s|{{}}()\[\]<>$:\\]++\s*+)\$\$(?:(?:\s*+\|\s*+|[^$|{{}}]*+)\$\$)?)?)
  | (?P<escape>\\(?:[{re.escape(ESCAPED)}]|A(?=ND(?![\w\-]))|B(?=REAK(?![\w\-]))))
  | (?P<escaped_dash>\\(?<!\S\\)(?:-(?=-[A-Za-z])|[{DASHES}](?=[{DASHES}]?[A-Za-z])))
  | (?P<tag><[A-Za-z][\w\-]*+:(?!//))
  | (?P<wild>__(?<!\w__)(?=[./?\-]*+[^\W_]|[./?\-]*+\*)(?:[^\W_]|[*?./\-]|_(?!_))++__(?!\w))
  | (?P<word>(?:AND|BREAK)(?<![\w\-]AND)(?<![\w\-]BREAK)(?![\w\-]))
  | (?P<dash>(?<!\S)(?:--|[{DASHES}]{{1,2}})(?=[A-Za-z]))
  | [\s\S]
  | \Z
)
"""
_COMMENT = r"(?P<comment>(?<![^\n\r])[ \t]*+\#[^\n\r]*+(?:\r\n?|\n)?)"


def _compile(comments: bool) -> re.Pattern[str]:
    # A line end passes as text unless a comment follows it: the next attempt then begins at the line's start.
    marks = _MARKS.replace("@", r"(?![ \t]*+\#)" if comments else "")
    return re.compile(f"{_COMMENT}|{marks}" if comments else marks, re.VERBOSE)


_PATTERNS: dict[bool, re.Pattern[str]] = {}

# The rest of a placeholder after `name:` or `name=`. A quote opens a literal only where a value may begin, so the
# apostrophe of `the fox's den` does not.
_QUOTED_REST = re.compile(
    r"""(?:(?<=[:=|,\[(])\s*+(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')|[^{}])*+(\}?)""", re.DOTALL
)
_PLAIN_REST = re.compile(r"[^{}]*+(\}?)")

# A whole network tag. It ends at its `>`, on the same line; braces in it are whole.
_TAG = re.compile(r"(?:[^<>{}\\\n\r]|\\.|\{[^<>{}\n\r]*+\})*+>")
_IN_TAG = frozenset("{}|:>") | {"escape", "hole"}


def scan(text: str, comments: bool) -> Marks:
    """All marks of `text`. Takes time in proportion to its length."""
    pattern = _PATTERNS.get(comments)
    if pattern is None:
        pattern = _PATTERNS[comments] = _compile(comments)
    kinds: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at: int | None = 0
    suspect = 0  # quotes before here lead to no placeholder's end
    closed_raw = True  # whether a `}}` may still follow
    tag_end = 0
    while at is not None:
        begin, at = at, None
        for match in pattern.finditer(text, begin):
            kind = match.lastgroup
            if kind is None:
                continue
            if kind == "mark":  # one character, as most are
                end = match.end()
                start = end - 1
                kind = text[start]
                if (start >= tag_end or kind in _IN_TAG) and (kind != ">" or end == tag_end):
                    kinds.append(kind)
                    starts.append(start)
                    ends.append(end)
                continue
            start, end = match.span(kind)
            if kind == "raw":
                stop = _raw_end(text, end) if closed_raw else 0
                if stop:
                    end = at = stop
                else:
                    closed_raw = False
                    kind, end, at = "{", start + 1, start + 1
            elif kind == "hole":
                if text[end - 1] != "}":
                    found = _QUOTED_REST.match(text, end) if start >= max(suspect, tag_end) else None
                    if found is not None and not found[1]:
                        suspect = found.end()
                        found = None
                    if found is None:
                        found = _PLAIN_REST.match(text, end)
                    assert found is not None
                    if found[1]:
                        end = at = found.end()
                    else:
                        kind, end, at = "{", start + 1, start + 1
            elif kind == "brace":
                kind = "{"
            elif kind == "escaped_dash":
                kind = "escape"
            elif kind == "tag":
                found = _TAG.match(text, end)
                if found is not None:
                    kind, tag_end = "<", found.end()
                elif end < len(text) and not text[end].isspace():
                    kind, end = "open-tag", start + 1
                    at = end
                else:
                    continue
            if start < tag_end and kind not in _IN_TAG and kind != "<":
                if end > tag_end:  # a mark that would reach over the tag's end is none
                    at = start + 1
                    break
                continue
            kinds.append(kind)
            starts.append(start)
            ends.append(end)
            if at is not None:
                break
    return Marks(kinds, starts, ends)


def _raw_end(text: str, start: int) -> int:
    """The end of the raw text whose `{{` ends at `start`, or 0.

    The first `}}` closes it, or the one that overlaps it where the text has an open brace of its own: `{{{name}}}`.
    """
    stop = text.find("}}", start)
    if stop < 0:
        return 0
    more = text.startswith("}}}", stop) and text.count("{", start, stop) > text.count("}", start, stop)
    return stop + 3 if more else stop + 2
