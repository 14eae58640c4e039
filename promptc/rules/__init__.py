"""The rules: one module each, in a folder for each group. Adding a rule takes one file.

A rule module has a docstring in sections (What it does, Why is this bad, Example, Use instead, References), which
`promptc explain` prints, and:

    CODE, NAME, SEVERITY    "E0921", "brace", "error"
    NODES                   the tree classes whose nodes `check` is called with
    check(node, facts)      yields Diagnostics, in the prompt's offsets
    VALID, INVALID          cases: its tests, and the examples of its page

A rule that is found elsewhere (a file that is no UTF-8 has no tree) has no `check`. Installed packages add modules
under the entry point group `promptc.rules`; they are looked for only where a project names them.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from promptc.diagnostic import Diagnostic, Severity
from promptc.tree import Node

if TYPE_CHECKING:
    from promptc.rules.facts import Facts

Check: TypeAlias = "Callable[[Node, Facts], Iterable[Diagnostic]]"


class Case(NamedTuple):
    """A prompt that a rule finds fault with, or does not.

    `⟦…⟧` in `text` marks the primary span of an invalid case. `fixed` is the text after its first fix. `params` are
    declared around the prompt, `settings` are fields of Settings, and `files` are written to its root first.
    """

    text: str
    fixed: str | None = None
    params: Mapping[str, str] | None = None
    settings: Mapping[str, object] = {}
    files: Mapping[str, bytes] = {}
    comments: bool = True


class Rule(NamedTuple):
    """A rule as its module describes it."""

    code: str
    name: str
    severity: Severity
    nodes: tuple[type, ...]
    check: "Check | None"
    doc: str
    valid: Sequence[Case | str]
    invalid: Sequence[Case | str]
    module: str


@cache
def registry(plugins: tuple[str, ...] = ()) -> tuple[Rule, ...]:
    """All rules, by code. `plugins` names the entry points of `promptc.rules` that join them."""
    found = [_rule(importlib.import_module(name)) for name in _modules()]
    if plugins:
        from importlib.metadata import entry_points  # slow: only a project with plug-ins pays for it

        found.extend(_rule(point.load()) for point in entry_points(group="promptc.rules") if point.name in plugins)
    return tuple(sorted(found))


def _modules() -> Iterator[str]:
    for group in pkgutil.iter_modules(__path__, f"{__name__}."):
        if group.ispkg:
            path = [f"{folder}/{group.name.rpartition('.')[2]}" for folder in __path__]
            for rule in pkgutil.iter_modules(path, f"{group.name}."):
                yield rule.name


def _rule(module: object) -> Rule:
    return Rule(
        module.CODE,  # type: ignore[attr-defined]
        module.NAME,  # type: ignore[attr-defined]
        module.SEVERITY,  # type: ignore[attr-defined]
        getattr(module, "NODES", ()),
        getattr(module, "check", None),
        module.__doc__ or "",
        module.VALID,  # type: ignore[attr-defined]
        module.INVALID,  # type: ignore[attr-defined]
        module.__name__,  # type: ignore[attr-defined]
    )


@cache
def checks(kind: type, plugins: tuple[str, ...] = ()) -> tuple[Check, ...]:
    """The checks that want a class of node. Only their modules are imported: most prompts need a few of them."""
    wanted = [name for name, nodes in _index().items() if kind.__name__ in nodes]
    rules = [_rule(importlib.import_module(name)) for name in wanted]
    if plugins:
        rules.extend(rule for rule in registry(plugins) if rule.module not in _index())
    return tuple(rule.check for rule in sorted(rules) if rule.check is not None and kind in rule.nodes)


@cache
def _index() -> Mapping[str, tuple[str, ...]]:
    """The modules of all rules, and the names of the node classes that each wants.

    It is read from `index.py`, so that no rule has to be imported to know whether it is needed. Where a rule was added
    since that was written, the rules themselves say it.
    """
    from promptc.rules.index import INDEX

    names = list(_modules())
    return INDEX if INDEX.keys() == set(names) else index()


def index() -> Mapping[str, tuple[str, ...]]:
    """What `index.py` should hold: `python -m promptc.rules` writes it."""
    return {rule.module: tuple(node.__name__ for node in rule.nodes) for rule in registry()}


def find(code: str) -> Rule | None:
    """The rule of a code or a name."""
    return next((rule for rule in registry() if code.upper() == rule.code or code == rule.name), None)
