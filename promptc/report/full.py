"""Findings with an excerpt of the source, underlines, secondary labels and help, as a modern compiler prints them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from click import style

from promptc.diagnostic import Diagnostic
from promptc.report import Finding, summary, visible
from promptc.source import Source, Span

_COLORS = {"error": "red", "warning": "yellow", "note": "cyan"}
_WIDTH = 100
"""Columns of an excerpt: a longer line is shown around its underline."""


@dataclass(frozen=True, slots=True)
class _Underline:
    """An underline within one line, in 0-based columns, half-open."""

    line: int
    start: int
    end: int
    message: str
    primary: bool


def render(findings: Sequence[Finding], *, color: bool = False, files: int | None = None) -> str:
    blocks = ["\n".join(_block(finding.source, finding.diagnostic, color)) + "\n" for finding in findings]
    if files is not None:
        fixable = sum(any(fix.safe for fix in finding.diagnostic.fixes) for finding in findings)
        hint = f" {fixable} can be fixed with --fix." if fixable else ""
        blocks.append(summary(findings, files) + hint + "\n")
    return "\n".join(blocks)


def _block(source: Source, found: Diagnostic, color: bool) -> Iterator[str]:
    def paint(text: str, **how: object) -> str:
        return style(text, **how) if color else text  # type: ignore[arg-type]

    hue = _COLORS[found.severity]
    yield paint(f"{found.severity}[{found.code}]", fg=hue, bold=True) + paint(f": {visible(found.message)}", bold=True)
    underlines = sorted(_underlines(source, found), key=lambda line: (line.line, line.start, not line.primary))
    gutter = len(str(max(line.line for line in underlines)))
    place = source.position(found.span.start)
    arrow = " " * gutter + paint("-->", fg="blue", bold=True)
    yield f"{arrow} {source.path}:{place.line}:{place.column} ({found.name})"
    bar = paint("|", fg="blue", bold=True)
    yield f"{' ' * gutter} {bar}"
    shown: int | None = None
    for number in sorted({line.line for line in underlines}):
        if shown is not None and number > shown + 1:
            yield paint("." * 3, fg="blue", bold=True)
        shown = number
        marks = [line for line in underlines if line.line == number]
        text, shift = _crop(source.line(number), marks)
        yield f"{paint(str(number).rjust(gutter), fg='blue', bold=True)} {bar} {visible(text)}".rstrip()
        for mark in marks:
            start, end = max(0, mark.start - shift), max(0, mark.end - shift)
            before = _columns(text[:start])
            inside = max(1, _columns(text[start:end]))
            sign = ("^" if mark.primary else "-") * inside
            line = paint(f"{sign} {visible(mark.message)}".rstrip(), fg=hue if mark.primary else "blue", bold=True)
            yield f"{' ' * gutter} {bar} {' ' * before}{line}"
    yield f"{' ' * gutter} {bar}"
    equals = paint("=", fg="blue", bold=True)
    for note in found.notes:
        yield f"{' ' * gutter} {equals} note: {visible(note)}"
    if found.help:
        yield f"{' ' * gutter} {equals} help: {visible(found.help)}"
    for fix in found.fixes:
        how = "--fix" if fix.safe else "--fix --unsafe-fixes"
        yield f"{' ' * gutter} {equals} fix ({how}): {visible(fix.message)}"


def _underlines(source: Source, found: Diagnostic) -> Iterator[_Underline]:
    yield _underline(source, found.span, found.label, primary=True)
    for label in found.labels:
        yield _underline(source, label.span, label.message, primary=False)


def _underline(source: Source, span: Span, message: str, *, primary: bool) -> _Underline:
    """The first line of a span; a span over several lines is underlined to the end of that line."""
    first, last = source.position(span.start), source.position(span.end)
    start = first.column - 1
    end = last.column - 1 if last.line == first.line else len(source.line(first.line))
    return _Underline(first.line, start, max(end, start), message, primary)


def _crop(text: str, marks: Sequence[_Underline]) -> tuple[str, int]:
    """The part of a long line around its first primary underline, and where that part begins."""
    if len(text) <= _WIDTH:
        return text, 0
    anchor = next((mark for mark in marks if mark.primary), marks[0])
    start = max(0, min(anchor.start - _WIDTH // 3, len(text) - _WIDTH))
    return text[start : start + _WIDTH], start


def _columns(text: str) -> int:
    """How many terminal columns a text takes once made visible."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else len(visible(char)) for char in text)
