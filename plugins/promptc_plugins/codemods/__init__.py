"""Migrations of Python sources: one module for each, named by what it migrates from.

A module holds `Codemod`, a libcst codemod that counts `converted` and collects `problems` and `taken`, and
`worth_reading(text)`. Nothing here imports libcst before one is asked for.
"""

import importlib
import pkgutil
import warnings
from dataclasses import dataclass
from typing import Any

from promptc.diagnostic import Diagnostic
from promptc.source import Source, Span


def names() -> list[str]:
    """What can be migrated from."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__))


@dataclass(frozen=True)
class Migration:
    """A migrated source: its new text, how many prompts were converted, and what was left as it is and why.

    `taken` lists the expressions that were passed on as texts although nothing in the file shows that they are.
    """

    text: str
    converted: int
    problems: tuple[Diagnostic, ...]
    taken: tuple[str, ...] = ()


def migrate(name: str, source: Source, words: tuple[str, ...] = ()) -> Migration:
    """Apply one migration to a source. Raises ImportError where libcst is missing."""
    import libcst as cst
    from libcst.codemod import CodemodContext

    from promptc_plugins.python_source.literals import Lines
    from promptc_plugins.python_source.modules import Unreadable, parse

    made: Any = importlib.import_module(f"{__name__}.{name}")
    if not made.worth_reading(source.text):
        return Migration(source.text, 0, ())
    lines = Lines(source.text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parse(source)  # the reason of a syntax error, in Python's own words
            module = cst.parse_module(source.text)
    except Unreadable as error:
        place = lines.character(error.line, error.column) if error.line else 0
        return Migration(source.text, 0, (problem(Span(place, place), f"it is no valid Python: {error.reason}"),))
    except (cst.ParserSyntaxError, RecursionError) as error:
        place = lines.character(error.raw_line, error.raw_column) if isinstance(error, cst.ParserSyntaxError) else 0
        return Migration(source.text, 0, (problem(Span(place, place), "libcst cannot read this file"),))
    codemod = made.Codemod(CodemodContext(filename=source.path), lines, words)
    changed = codemod.transform_module(module)
    text = changed.code if codemod.converted else source.text
    problems = tuple(sorted(codemod.problems, key=lambda one: one.span))
    return Migration(text, codemod.converted, problems, tuple(dict.fromkeys(codemod.taken)))


def problem(span: Span, reason: str) -> Diagnostic:
    """Something that a migration leaves as it is."""
    return Diagnostic("W0944", "not-migrated", "warning", f"left as it is: {reason}", span)
