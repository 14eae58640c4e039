"""A parameter's hyphens that an editor changed, or a value without a blank before it.

## What it does
Reports a dash (`—`, `–`) in the place of the two hyphens before a parameter's name, and a value that touches its
name. Both have a safe fix. A dash elsewhere is text.

## Why is this bad
Word processors turn two hyphens into a dash. Services then refuse the prompt, or encode the parameter as words.

## Example
```
a fox —ar 3:2
a fox --ar16:9
```

## Use instead
```
a fox --ar 3:2
a fox --ar 16:9
```
"""

import re
from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.parameters import names
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Parameter

CODE, NAME, SEVERITY = "E1305", "dash", "error"
NODES = (Parameter,)

_DASHES = {
    "—": "an em dash",
    "–": "an en dash",
    "―": "a bar",
    "−": "a minus sign",
    "‒": "a figure dash",
    "‐": "a soft hyphen",
}
_GLUED = pattern(r"([A-Za-z]+(?:-[A-Za-z]+)*)([:=]?)(\d.*|[:=].+)", re.S)


def check(node: Parameter, facts: Facts) -> Iterator[Diagnostic]:
    dash = node.dash
    edits: list[Edit] = []
    message = label = ""
    if dash.text != "--":
        kind = _DASHES.get(dash.text[0], "a dash") if dash.text else "a dash"
        message, label = f"this is {kind}, where a parameter has two hyphens", "write `--`"
        edits.append(Edit(Span(dash.start, dash.end), "--"))
    cut = glued(node)
    if cut is not None:
        label = "a blank is missing before the value" if not message else label
        message = message or f"the value of `--{node.name.text[: cut[0]]}` touches its name"
        edits.append(Edit(Span(node.name.start + cut[0], node.name.start + cut[1]), " "))
    if not edits:
        return
    span = Span(dash.start, dash.end if cut is None else _end(node))
    fixed = facts.text[node.dash.start : _end(node)]
    for edit in reversed(edits):
        fixed = fixed[: edit.span.start - dash.start] + edit.text + fixed[edit.span.end - dash.start :]
    fix = Fix(f"write `{fixed}`", tuple(edits), safe=True)
    yield Diagnostic(CODE, NAME, "error", message, span, label, help=f"write `{fixed}`", fixes=(fix,))


def _end(node: Parameter) -> int:
    return node.name.end


def glued(node: Parameter) -> tuple[int, int] | None:
    """Where a known name ends and its value begins, in a name that is both: `ar16:9`, `seed=7`."""
    text = node.name.text
    if text.lower() in names():
        return None
    match = _GLUED.fullmatch(text)
    if match is None or match[1].lower() not in names():
        return None
    return match.end(1), match.end(2)


VALID = ("a fox --ar 3:2", "sea — calm", "1990–2000", "a well–known fox")
INVALID = (
    Case("a fox ⟦—⟧ar 3:2", fixed="a fox --ar 3:2"),
    Case("empty stage, pale fog, ⟦–⟧ar 9:16", fixed="empty stage, pale fog, --ar 9:16"),
    Case("a fox ⟦--ar16:9⟧", fixed="a fox --ar 16:9"),
    Case("a fox ⟦--seed=7⟧", fixed="a fox --seed 7"),
)
