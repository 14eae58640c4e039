"""Reports of findings, one module for each format: `render(findings, *, color, files) -> str`.

A format is found by its module's name, so adding one takes one file here.
"""

import importlib
import pkgutil
from collections.abc import Sequence
from typing import NamedTuple, Protocol, cast

from promptc.diagnostic import Diagnostic
from promptc.source import Source


class Finding(NamedTuple):
    """A diagnostic, with spans in the file's offsets, and its file."""

    source: Source
    diagnostic: Diagnostic


class Render(Protocol):
    def __call__(self, findings: Sequence[Finding], *, color: bool = False, files: int | None = None) -> str:
        """The report as text that ends with a line end, or is empty. `files` is how many were checked."""
        ...


def formats() -> list[str]:
    """The names of all formats."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__))


def render(name: str) -> Render:
    """The renderer of a format."""
    return cast(Render, importlib.import_module(f"{__name__}.{name}").render)


def summary(findings: Sequence[Finding], files: int | None) -> str:
    """`Found 1 error and 2 warnings in 3 files.`"""
    counts = {"error": 0, "warning": 0, "note": 0}
    for finding in findings:
        counts[finding.diagnostic.severity] += 1
    said = [_plural(count, word) for word, count in counts.items() if count]
    where = "" if files is None else f" in {_plural(files, 'file')}"
    if not said:
        return f"No findings{where}."
    return f"Found {' and '.join([', '.join(said[:-1]), said[-1]] if len(said) > 1 else said)}{where}."


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def visible(text: str) -> str:
    """Tabs as four blanks, other control characters as escapes: a report can steer no terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else "    " if char == "\t" else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
