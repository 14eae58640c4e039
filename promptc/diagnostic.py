"""What promptc tells a user. Every surface (terminal, JSON, editor, mypy) renders these same objects."""

from typing import TYPE_CHECKING, Literal

from promptc.source import Span

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Label:
    """A secondary place, and why it matters ("the bracket was opened here")."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A way out as edits that do not overlap. Only safe fixes are applied without being asked for."""

    message: str
    edits: tuple[Edit, ...]
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding at one place.

    `message` says what is wrong, `label` why it is wrong at this place, `help` what to do.
    Spans are in the prompt's own text until `promptc.check` moves them into the file's.
    """

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    fixes: tuple[Fix, ...] = ()
