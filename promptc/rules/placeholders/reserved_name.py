"""A placeholder whose name Python keeps for itself.

## What it does
Reports a placeholder that is named like a Python keyword, `self` or `cls`, or whose name begins with an underscore.

## Why is this bad
A prompt is called from Python with a keyword argument for each placeholder: `portrait(class="noble")` is no Python.

## Example
```
a {class} of birds
```

## Use instead
```
a {class_} of birds
```
"""

from collections.abc import Iterator

from promptc.context import name_problem
from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Placeholder

CODE, NAME, SEVERITY = "E0912", "reserved-name", "error"
NODES = (Placeholder,)


def check(node: Placeholder, facts: Facts) -> Iterator[Diagnostic]:
    problem = name_problem(node.name.text)
    if problem is None or problem.code != CODE:
        return
    span = Span(node.name.start, node.name.end)
    better = problem.replacement
    yield Diagnostic(
        CODE,
        NAME,
        "error",
        problem.message,
        span,
        problem.label,
        help=f"write `{{{better}}}`" if better else "",
        fixes=(Fix(f"write `{{{better}}}`", (Edit(span, better),)),) if better else (),
    )


VALID = ("{subject}", "{class_}", "{selfie}", "{Misty}")
INVALID = (
    Case("a {⟦class⟧} of birds", fixed="a {class_} of birds"),
    Case("{⟦self⟧}", fixed="{self_}"),
    Case("{⟦_mood⟧} sky", fixed="{mood} sky"),
)
