"""What promptc raises in a user's program. Each message says what is wrong, where, and what to do."""

from collections.abc import Sequence
from typing import NamedTuple

from promptc.diagnostic import Diagnostic
from promptc.source import Source


class PromptError(Exception):
    """A prompt with errors. `diagnostics` have their spans in `source`; the message shows them as `check` does."""

    def __init__(self, source: Source, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(source, tuple(diagnostics))
        self.source = source
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        return "\n" + self.report()

    def report(self, *, color: bool = False) -> str:
        """The diagnostics with excerpts, as `promptc check` prints them."""
        from promptc.report import Finding
        from promptc.report.full import render

        return render([Finding(self.source, found) for found in self.diagnostics], color=color).rstrip("\n")


class Refusal(NamedTuple):
    """Why one value cannot be bound, and what to do."""

    name: str
    reason: str
    help: str = ""


class BindError(Exception):
    """Values that do not fit a prompt's placeholders; `refusals` has one entry for each."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__(tuple(refusals))
        self.refusals = tuple(refusals)

    def __str__(self) -> str:
        return "\n".join(
            f"{one.name}: {one.reason}; {one.help}" if one.help else f"{one.name}: {one.reason}"
            for one in self.refusals
        )
