"""Parameters (`--name value`): their table, and what the values of a prompt's parameters mean.

A value that holds a placeholder is Unresolved until it is bound; a bound value is data and is never split or parsed
as text of the prompt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from promptc.diagnostic import Diagnostic
from promptc.parameters.table import Spec, find, names, table
from promptc.parameters.values import Call, Given, Meant, Problem, Reference, Size, Unresolved, read_value
from promptc.tree import Placeholder, Root

__all__ = [
    "BadParameter", "Call", "Given", "Meant", "Parameters", "Problem", "Reference", "Size", "Spec", "UnboundParameter",
    "Unresolved", "find", "names", "read", "resolve", "table",
]  # fmt: skip

T = TypeVar("T")


@dataclass(frozen=True)
class Parameters:
    """The values of a prompt's parameters by name; what was not given is absent, and has its default in the table."""

    given: Mapping[str, Meant]

    def value(self, name: str, kind: type[T]) -> T | None:
        """The value given, else the table's default, else None. Raises UnboundParameter while a placeholder is in it."""
        meant = self.given.get(name, table()[name].default)
        if isinstance(meant, Unresolved):
            raise UnboundParameter(name, meant.placeholders)
        if kind is float and isinstance(meant, int):
            meant = float(meant)
        assert meant is None or isinstance(meant, kind), (name, meant)
        return meant


class UnboundParameter(Exception):
    """A parameter's value was asked for before its placeholders were bound."""

    def __init__(self, name: str, placeholders: tuple[Placeholder, ...]) -> None:
        super().__init__(f"--{name} waits for {', '.join(hole.name.text for hole in placeholders)}")
        self.name, self.placeholders = name, placeholders


class BadParameter(Exception):
    """A value that its parameter does not take: found at bind time, as `check` finds what is written."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def read(root: Root) -> list[Given]:
    """The known parameters of a prompt, in order."""
    return [read_value(parameter, spec) for parameter in root.parameters if (spec := find(parameter)) is not None]


def resolve(root: Root) -> Parameters:
    """The values of all parameters. Raises BadParameter for the first that does not hold."""
    given: dict[str, Meant] = {}
    for one in read(root):
        for problem in one.problems:
            raise BadParameter(
                Diagnostic(
                    "E1302", "parameter-value", "error", problem.message, problem.span, problem.label, help=problem.help
                )
            )
        name = one.spec.name
        if one.spec.repeats and name in given:
            before = given[name]
            if isinstance(before, Unresolved) or isinstance(one.meant, Unresolved):
                holes = [
                    hole for each in (before, one.meant) if isinstance(each, Unresolved) for hole in each.placeholders
                ]
                given[name] = Unresolved(tuple(holes))
            elif isinstance(before, tuple) and isinstance(one.meant, tuple):
                given[name] = before + one.meant
            else:
                given[name] = f"{before}, {one.meant}"
        else:
            given[name] = one.meant
    return Parameters(given)
