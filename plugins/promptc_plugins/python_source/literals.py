"""String literals of Python sources: their text, and the exact place of every character of it.

One literal may be several tokens (`"a" r'b'`, with blanks and comments between), so its map is a list of runs: a
verbatim run has as many characters in the file as in the text, any other run is an escape, a line end, or an expanded
tab, and is entered and left as a whole.
"""

import ast
import bisect
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from promptc.diagnostic import Edit
from promptc.pattern import pattern
from promptc.source import Source, Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

_LINE_END = pattern(r"\r\n|\n|\r")
_OPEN = pattern(r"([A-Za-z]*)('''|\"\"\"|'|\")")
_BETWEEN = pattern(r"(?:\s|\\(?:\r\n|\n|\r)|#[^\r\n]*)*")
_RAW_SPECIAL = pattern(r"\r\n?")
_SPECIAL = pattern(
    r"\\(?:\r\n|[\n\r]|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\})|\r\n?"
)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"'}
_SPELLED = {"\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


class Lines:
    """The file offsets of `ast`'s places: 1-based lines, columns in UTF-8 bytes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1] if line <= len(self._starts) else len(self._text)
        if self._ascii:
            return min(start + column, len(self._text))
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        return start + len(self._text[start:end].encode()[:column].decode(errors="ignore"))

    def character(self, line: int, column: int) -> int:
        """The offset of a place whose column counts characters from 0, as syntax errors do."""
        start = self._starts[line - 1] if line <= len(self._starts) else len(self._text)
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        return min(start + column, max(start, end - 1))

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.alias) -> Span:
        start = self.offset(node.lineno, node.col_offset)
        if node.end_lineno is None or node.end_col_offset is None:
            return Span(start, start)
        return Span(start, self.offset(node.end_lineno, node.end_col_offset))


class Token(NamedTuple):
    """One string token: the span of what stands between its quotes, and how it is quoted."""

    body: Span
    quote: str
    raw: bool


class Run(NamedTuple):
    """`length` characters of the text, from `offset` on, stand at `start` to `end` of the file."""

    offset: int
    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A string literal of one or more tokens: the text it evaluates to, and its map (an `OffsetMap`)."""

    origin: Source
    text: str
    tokens: tuple[Token, ...]
    runs: tuple[Run, ...]
    indent: str | None = None  # of a cleaned docstring: the margin that new lines need

    def start(self, offset: int) -> int:
        index = bisect.bisect_right(self.runs, offset, key=lambda run: run.offset) - 1
        if index < 0:
            return self.tokens[0].body.start
        run = self.runs[index]
        inside = offset - run.offset
        if inside >= run.length:
            return run.end
        return run.start + inside if run.length == run.end - run.start else run.start

    def end(self, offset: int) -> int:
        if offset <= 0 or not self.runs:
            return self.start(0)
        run = self.runs[bisect.bisect_right(self.runs, offset - 1, key=lambda run: run.offset) - 1]
        if run.length == run.end - run.start:
            return run.start + min(offset - run.offset, run.length)
        return run.end

    def encode(self, text: str) -> str:
        """`text` as it is spelt in every token of the literal: as plainly as the plainest of them allows.

        A raw token cannot spell everything; `edits` tells whether the result means `text`.
        """
        if any(token.raw for token in self.tokens):
            return text
        quotes = {token.quote for token in self.tokens}
        multiline = all(len(quote) == 3 for quote in quotes)
        line_end = "\r\n" if "\r\n" in self.origin.text else "\n"
        return "".join(_spell(character, quotes, multiline, line_end, self.indent) for character in text)

    def edits(self, edits: Sequence[Edit]) -> tuple[Edit, ...] | None:
        """Edits of the text as edits of the file; None where the literal cannot spell the result.

        The result is evaluated and compared, so an edit that a raw string, a neighbouring backslash or a token border
        would turn into something else is refused.
        """
        moved = tuple(Edit(self._span(edit.span), self.encode(edit.text)) for edit in edits)
        wanted = _apply(self.text, edits)
        outer = Span(self.tokens[0].body.start, self.tokens[-1].body.end)
        if any(not outer.start <= edit.span.start <= edit.span.end <= outer.end for edit in moved):
            return None
        if any(
            token.body.end < edit.span.end and edit.span.start < token.body.end
            for edit in moved
            for token in self.tokens
        ):
            return None  # it would take the quotes and comments between two tokens with it
        begin, close = _outside(self.origin.text, self.tokens)
        shifted = [Edit(Span(edit.span.start - begin, edit.span.end - begin), edit.text) for edit in moved]
        spelt = _apply(self.origin.text[begin:close], shifted)
        return moved if _evaluate(spelt, self.indent is not None) == wanted else None

    def part(self, offset: int, length: int) -> "Literal":
        """The literal seen through `text[offset:offset + length]`."""
        return self._view(self.text[offset : offset + length], list(range(offset, offset + length)))

    def cleaned(self) -> "Literal":
        """The literal as a docstring: without its margin."""
        from promptc.docstring import clean

        text, places = clean(self.text)
        margin = min((len(line) - len(line.lstrip()) for line in self.text.splitlines()[1:] if line.strip()), default=0)
        return self._view(text, places, " " * margin)

    def _view(self, text: str, places: list[int], indent: str | None = None) -> "Literal":
        cells = [(self.start(place), self.end(place + 1)) for place in places]
        return Literal(self.origin, text, self.tokens, _runs(cells), indent)

    def _span(self, span: Span) -> Span:
        start = self.start(span.start)
        return Span(start, start if span.start == span.end else max(start, self.end(span.end)))


def read(source: Source, lines: Lines, node: ast.expr) -> Literal | None:
    """The literal that an expression spells: a string constant, or a sum of them. None for anything else."""
    constants = _addends(node)
    if constants is None:
        return None
    tokens: list[Token] = []
    text: list[str] = []
    runs: list[Run] = []
    offset = 0
    for constant in constants:
        span = lines.span(constant)
        for token in tokens_of(source.text, span):
            tokens.append(token)
            for length, start, end, value in _evaluated(source.text, token):
                runs.append(Run(offset, length, start, end))
                text.append(value)
                offset += length
    literal = Literal(source, "".join(text), tuple(tokens), tuple(runs))
    return literal if literal.text == "".join(str(constant.value) for constant in constants) else None


def tokens_of(text: str, span: Span) -> Iterable[Token]:
    """The string tokens in a span that holds nothing else but blanks, comments and line continuations."""
    at = span.start
    while at < span.end:
        opened = _OPEN.match(text, at, span.end)
        if opened is None:
            return
        quote = opened[2]
        start = opened.end()
        end = _closing(text, start, span.end, quote)
        yield Token(Span(start, end), quote, "r" in opened[1].lower())
        between = _BETWEEN.match(text, end + len(quote), span.end)
        at = between.end() if between else span.end


def _addends(node: ast.expr) -> list[ast.Constant] | None:
    constants: list[ast.Constant] = []
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            constants.append(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            pending += [node.right, node.left]
        else:
            return None
    return constants


def _closing(text: str, start: int, end: int, quote: str) -> int:
    found = _CLOSING[quote].match(text, start, end)
    return found.end() if found else end - len(quote)


_CLOSING = {
    '"': pattern(r'(?:[^"\\]++|\\(?s:.))*+'),
    "'": pattern(r"(?:[^'\\]++|\\(?s:.))*+"),
    '"""': pattern(r'(?:[^"\\]++|\\(?s:.)|"(?!""))*+'),
    "'''": pattern(r"(?:[^'\\]++|\\(?s:.)|'(?!''))*+"),
}


def _evaluated(text: str, token: Token) -> Iterable[tuple[int, int, int, str]]:
    at, stop = token.body
    for match in (_RAW_SPECIAL if token.raw else _SPECIAL).finditer(text, at, stop):
        if at < match.start():
            yield match.start() - at, at, match.start(), text[at : match.start()]
        at = match.end()
        value = _value(match[0])
        if value:
            yield 1, match.start(), at, value
    if at < stop:
        yield stop - at, at, stop, text[at:stop]


def _value(escape: str) -> str:
    if escape[0] == "\r":
        return "\n"
    kind = escape[1]
    if kind in "\r\n":
        return ""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind in "xuU":
        return chr(int(escape[2:], 16))
    if kind == "N":
        return unicodedata.lookup(escape[3:-1])
    return chr(int(escape[1:], 8))


def _runs(cells: list[tuple[int, int]]) -> tuple[Run, ...]:
    """The fewest runs for characters that stand at `cells`."""
    runs: list[Run] = []
    for offset, (start, end) in enumerate(cells):
        last = runs[-1] if runs else None
        if last and (start, end) == (last.start, last.end):
            runs[-1] = last._replace(length=last.length + 1)  # one more blank of the same tab
        elif last and end - start == 1 and last.length == last.end - last.start and start == last.end:
            runs[-1] = last._replace(length=last.length + 1, end=end)
        else:
            runs.append(Run(offset, 1, start, end))
    return tuple(runs)


def _spell(character: str, quotes: set[str], multiline: bool, line_end: str, indent: str | None) -> str:
    if character == "\n" and multiline:
        return line_end + (indent or "")
    if any(character in quote for quote in quotes):
        return "\\" + character
    if character in _SPELLED:
        return _SPELLED[character]
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if 0xD800 <= code < 0xE000 else character


def _apply(text: str, edits: Iterable[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def _outside(text: str, tokens: tuple[Token, ...]) -> tuple[int, int]:
    begin = tokens[0].body.start - len(tokens[0].quote)
    while begin and text[begin - 1].isalpha():
        begin -= 1
    return begin, tokens[-1].body.end + len(tokens[-1].quote)


def _evaluate(spelt: str, docstring: bool) -> str | None:
    from promptc.docstring import cleandoc

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(ast.parse(f"({spelt}\n)", mode="eval"))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if not isinstance(value, str):
        return None
    return cleandoc(value) if docstring else value
