"""A declared parameter that no placeholder uses.

## What it does
Reports a parameter of the front matter or of a function's signature that stands nowhere in the prompt, nor in its
negative prompt.

## Why is this bad
Whoever calls the prompt gives a value that changes nothing, and mostly a placeholder was forgotten or renamed.

## Example
```
---
params:
  subject: str
  paper: str
---
a {subject}
```

## Use instead
```
---
params:
  subject: str
  paper: str
---
a {subject} on {paper}
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import FileSpan, Span
from promptc.suggest import nearest
from promptc.tree import BadBraces, Placeholder, Raw, Root

CODE, NAME, SEVERITY = "W0932", "unused-parameter", "warning"
NODES = (Root,)


def check(node: Root, facts: Facts) -> Iterator[Diagnostic]:
    if facts.context is None or facts.used is None:
        return
    written = [hole.name.text for hole in facts.nodes(Placeholder)]
    unknown = [name for name in written if facts.context.find(name) is None]
    # A name in braces that are broken, or literal, is reported there.
    braces: list[BadBraces | Raw] = [*facts.nodes(BadBraces), *facts.nodes(Raw)]
    broken = [facts.text[bad.start : bad.end] for bad in braces]
    names = facts.context.names()
    for parameter in facts.context.parameters:
        name = parameter.name
        if name in written or name in facts.used or any(name in text for text in broken):
            continue
        if any(nearest(other, names) == name for other in unknown):
            continue  # the misspelt placeholder is the mistake
        span = Span(node.start, node.end) if parameter.span is None else FileSpan(*parameter.span)
        yield Diagnostic(
            CODE,
            NAME,
            "warning",
            f"the parameter `{name}` is never used",
            span,
            "declared here" if parameter.span is not None else "",
            help=f"use it, as in `{{{name}}}`, or remove it",
        )


VALID = (
    "a {subject}",
    Case("a {subject}", params={"subject": "str"}),
    Case("a (fox:{strength})", params={"strength": "float"}),
    Case("a fox --seed {seed}", params={"seed": "int"}),
)
INVALID = (Case("⟦a {subject}⟧", params={"subject": "str", "paper": "str"}),)
