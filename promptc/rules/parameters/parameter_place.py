"""Text after the parameters.

## What it does
Reports text that follows a parameter's value. Parameters stand at the end of a prompt.

## Why is this bad
Some services read such text as part of the value, others drop it.

## Example
```
a fox --ar 16:9 in snow
```

## Use instead
```
a fox in snow --ar 16:9
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.rules.parameters.dash import glued
from promptc.source import Span
from promptc.tree import Parameter

CODE, NAME, SEVERITY = "E1304", "parameter-place", "error"
NODES = (Parameter,)


def check(node: Parameter, facts: Facts) -> Iterator[Diagnostic]:
    if not facts.first(node):
        return
    for given in facts.parameters:
        if given.rest is not None:
            yield _found(given.rest, given.parameter, given.spec.name, node.dash.start, facts.text)
    for parameter in facts.nodes(Parameter):
        cut = glued(parameter)  # its value touches its name, so all that follows is text
        text = facts.text[parameter.name.end : parameter.end]
        if cut is not None and text.strip():
            start = parameter.name.end + len(text) - len(text.lstrip())
            span = Span(start, parameter.name.end + len(text.rstrip()))
            yield _found(span, parameter, parameter.name.text[: cut[0]], node.dash.start, facts.text)


def _found(span: Span, parameter: Parameter, name: str, first: int, text: str) -> Diagnostic:
    before = span.start
    while text[before - 1].isspace():
        before -= 1
    edits = (Edit(Span(first, first), f"{text[span.start : span.end]} "), Edit(Span(before, span.end), ""))
    return Diagnostic(
        CODE,
        NAME,
        "error",
        "text after the parameters",
        span,
        f"`--{name}` ends before it",
        (Label(Span(parameter.dash.start, parameter.name.end), "the parameter begins here"),),
        help="write it before the first parameter",
        fixes=(Fix("move it before the parameters", edits),),
    )


VALID = ("a fox in snow --ar 16:9", "a fox --no fog in the trees", "a fox --out 1024, 512 --tile")
INVALID = (
    Case("a fox --ar 16:9 ⟦in snow⟧", fixed="a fox in snow --ar 16:9"),
    Case("a fox --tile ⟦in snow⟧ --seed 1", fixed="a fox in snow --tile --seed 1"),
    Case("a fox --seed 1 ⟦2⟧"),
)
