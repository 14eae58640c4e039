"""A parameter that the language does not have.

## What it does
Reports a `--name` that is no parameter, and offers the nearest.

## Why is this bad
The value would not count, or the whole of it would be encoded as words.

## Example
```
a fox --aspct 4:5
```

## Use instead
```
a fox --ar 4:5
```

Two hyphens that should be read as text are escaped or set apart: `\\--name`, `-- name`.
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.parameters import find, names, table
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.rules.parameters.dash import glued
from promptc.source import Span
from promptc.suggest import nearest
from promptc.tree import Parameter

CODE, NAME, SEVERITY = "E1301", "unknown-parameter", "error"
NODES = (Parameter,)

MIDJOURNEY = frozenset(
    [
        "c",
        "chaos",
        "cref",
        "cw",
        "draft",
        "exp",
        "hd",
        "fast",
        "iw",
        "niji",
        "oref",
        "ow",
        "p",
        "personalize",
        "profile",
        "q",
        "r",
        "raw",
        "relax",
        "s",
        "stop",
        "style",
        "stylize",
        "sv",
        "turbo",
        "uplight",
        "upbeta",
        "v",
        "version",
        "vibe",
        "video",
        "w",
        "weird",
    ]
)
"""What another language of parameters has, and this one does not."""


def check(node: Parameter, facts: Facts) -> Iterator[Diagnostic]:
    name = node.name.text
    if find(node) is not None or glued(node) is not None:
        return
    span = Span(node.dash.start, node.name.end)
    if name.lower() in MIDJOURNEY:
        way = "it is a parameter of Midjourney; the native language steers with others, as `--guidance` and `--steps`"
        yield Diagnostic(
            CODE, NAME, "error", f"unknown parameter `--{name}`", span, "promptc has no such parameter", help=way
        )
        return
    close = nearest(name, names())
    place = Span(node.name.start, node.name.end)
    fixes = (Fix(f"write `--{close}`", (Edit(place, close),)),) if close else ()
    way = f"did you mean `--{close}`?" if close else f"known are {', '.join(f'--{known}' for known in table())}"
    message = f"unknown parameter `--{name}`"
    yield Diagnostic(CODE, NAME, "error", message, span, "there is no such parameter", help=way, fixes=fixes)


VALID = ("a fox --ar 16:9", "a fox --aspect 16:9", "a fox -- in the snow", "a well-known fox")
INVALID = (
    Case("a ⟦--a⟧ tiny fox", fixed="a --ar tiny fox"),
    Case("a fox ⟦--aspct⟧ 4:5", fixed="a fox --aspect 4:5"),
    Case("a fox ⟦--stylize⟧ 250"),
    Case("a fox ⟦--strange⟧ 5"),
)
