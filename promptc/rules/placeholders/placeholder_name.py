"""A placeholder whose name is not in snake_case.

## What it does
Reports a placeholder whose name is not made of small letters a-z, digits and underscores, beginning with a letter.

## Why is this bad
A placeholder becomes an argument of a Python call, a field of a model and a key on the command line. One spelling
works in all of them.

## Example
```
print title for a {Misty} series
```

## Use instead
```
print title for a {misty} series
```

Braces that should be read as text are doubled: `{{Misty}}`.
"""

from collections.abc import Iterator

from promptc.context import name_problem
from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.rules.placeholders.brace import is_lookup
from promptc.source import Span
from promptc.suggest import nearest
from promptc.tree import BadBraces, Placeholder

CODE, NAME, SEVERITY = "E0911", "placeholder-name", "error"
NODES = (Placeholder, BadBraces)


def check(node: Placeholder | BadBraces, facts: Facts) -> Iterator[Diagnostic]:
    if isinstance(node, Placeholder):
        name, span = node.name.text, Span(node.name.start, node.name.end)
    elif (
        node.reason == "name"
        and facts.inside(node, BadBraces) is None
        and not is_lookup(facts.text[node.start : node.end])
    ):
        inner = facts.text[node.start + 1 : node.end - 1]
        name = inner.partition(":")[0].partition("=")[0].strip()
        start = node.start + 1 + inner.index(name)
        span = Span(start, start + len(name))
    else:
        return
    problem = name_problem(name)
    if problem is None or problem.code != CODE:
        return
    better = problem.replacement
    if facts.context is not None and facts.context.find(better or "") is None:
        better = nearest(better or name, facts.context.names()) or better
    fixes = (Fix(f"write `{{{better}}}`", (Edit(span, better),)),) if better else ()
    way = f"write `{{{better}}}`, or `{{{{{name}}}}}` for the braces themselves" if better else ""
    yield Diagnostic(
        CODE,
        NAME,
        "error",
        problem.message,
        span,
        problem.label,
        help=way or f"write `{{{{{name}}}}}` for the braces themselves",
        fixes=fixes,
    )


VALID = ("{subject}", "{subject_2}", "{a}", "a {{Misty}} series", "{class}")
INVALID = (
    Case("print title for a {⟦Misty⟧} series", fixed="print title for a {misty} series"),
    Case("{⟦skyColor⟧} sky", fixed="{sky_color} sky"),
    Case("{⟦été⟧} sky"),
    Case("{⟦sky color⟧} sea", fixed="{sky_color} sea"),
    Case("{⟦user-name⟧: str}", fixed="{user_name: str}"),
)
