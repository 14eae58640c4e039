"""A placeholder that nothing declares.

## What it does
Where a prompt's parameters are declared (in its front matter, by a model class or by a function's signature), reports
a placeholder that is not among them, and offers the nearest name.

## Why is this bad
The value would be missing when the prompt is used. A misspelt name is found before anything is rendered.

## Example
```
---
params:
  paper: str
---
a print on {papre}
```

## Use instead
```
---
params:
  paper: str
---
a print on {paper}
```
"""

from collections.abc import Iterator

from promptc.context import name_problem
from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import FileSpan, Span
from promptc.suggest import nearest
from promptc.tree import Placeholder

CODE, NAME, SEVERITY = "E0931", "unknown-placeholder", "error"
NODES = (Placeholder,)


def check(node: Placeholder, facts: Facts) -> Iterator[Diagnostic]:
    context, name = facts.context, node.name.text
    if context is None or not context.complete or context.find(name) is not None or name_problem(name) is not None:
        return
    span = Span(node.name.start, node.name.end)
    close = nearest(name, context.names())
    owner = f"`{context.name}`" if context.name and context.name != "params" else "the prompt"
    labels: tuple[Label, ...] = ()
    fixes: tuple[Fix, ...] = ()
    if close is not None:
        way = f"did you mean `{{{close}}}`?"
        fixes = (Fix(f"write `{close}`", (Edit(span, close),)),)
        found = context.find(close)
        if found is not None and found.span is not None:
            labels = (Label(FileSpan(*found.span), f"`{close}` is declared here"),)
    elif context.parameters:
        names = ", ".join(context.names())
        way = f"{owner} declares {names}; declare it, or write `{{{{{name}}}}}` for the braces themselves"
    else:
        way = f"{owner} declares no parameters; declare it, or write `{{{{{name}}}}}` for the braces themselves"
    label = f"{owner} declares no such parameter"
    yield Diagnostic(CODE, NAME, "error", f"unknown placeholder `{name}`", span, label, labels, help=way, fixes=fixes)


VALID = (
    "a print on {paper}",
    Case("a print on {paper}", params={"paper": "str"}),
    Case("a print on {{papre}}", params={}),
)
INVALID = (
    Case("a print on {⟦papre⟧}, {paper}", params={"paper": "str"}, fixed="a print on {paper}, {paper}"),
    Case("a {⟦subject⟧}", params={}),
    Case("a (fox:{⟦strenght⟧}) at {strength}", params={"strength": "float"}, fixed="a (fox:{strength}) at {strength}"),
)
