"""Text after the parameters, or a parameter within brackets.

## What it does
Reports text that follows a parameter's value, and a parameter that stands within brackets or braces. Parameters stand
at the end of a prompt, outside of all brackets.

## Why is this bad
Some services read text after a parameter as part of its value, others drop it. Within brackets `--ar 3:2` is text.

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
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.rules.parameters.dash import glued
from promptc.source import Span
from promptc.tree import Alternation, BadBraces, Choice, Emphasis, Parameter, Root, Schedule, Stray, Text

CODE, NAME, SEVERITY = "E1304", "parameter-place", "error"
NODES = (Parameter, Root)

_INSIDE = (Emphasis, Schedule, Alternation, Choice, BadBraces)
_NAMED = pattern(r"(?<![^\s([{|:])--([A-Za-z][\w-]*)(?![^\s)\]}|])")


def check(node: Parameter | Root, facts: Facts) -> Iterator[Diagnostic]:
    if isinstance(node, Root):
        yield from _inside(facts)
        return
    if not facts.first(node):
        return
    broken = {one.start for one in facts.nodes(Stray)} | {one.start for one in facts.nodes(BadBraces)}
    for given in facts.parameters:
        if given.rest is not None and given.rest.start not in broken:  # a broken brace has its own finding
            yield _found(given.rest, given.parameter, given.spec.name, node.dash.start, facts.text)
    for parameter in facts.nodes(Parameter):
        cut = glued(parameter)  # its value touches its name, so all that follows is text
        text = facts.text[parameter.name.end : parameter.end]
        if cut is not None and text.strip():
            start = parameter.name.end + len(text) - len(text.lstrip())
            span = Span(start, parameter.name.end + len(text.rstrip()))
            yield _found(span, parameter, parameter.name.text[: cut[0]], node.dash.start, facts.text)


def _inside(facts: Facts) -> Iterator[Diagnostic]:
    if "--" not in facts.text or not any(facts.nodes(kind) for kind in _INSIDE):
        return
    from promptc.parameters import names

    known = names()
    for text in facts.nodes(Text):
        for match in _NAMED.finditer(facts.text, text.start, text.end) if "--" in text.text else ():
            if match[1] in known and any(facts.inside(text, kind) is not None for kind in _INSIDE):
                yield Diagnostic(
                    CODE,
                    NAME,
                    "error",
                    f"`--{match[1]}` stands within brackets",
                    Span(match.start(), match.end()),
                    "here it is read as text",
                    help="write it after the text, outside of all brackets, or escape it as `\\--`",
                )


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


VALID = (
    "(a fox --fast), {a|\\--seed 3}",
    "a fox in snow --ar 16:9",
    "a fox --no fog in the trees",
    "a fox --out 1024, 512 --tile",
)
INVALID = (
    Case("a fox --ar 16:9 ⟦in snow⟧", fixed="a fox in snow --ar 16:9"),
    Case("a fox --tile ⟦in snow⟧ --seed 1", fixed="a fox in snow --tile --seed 1"),
    Case("a fox --seed 1 ⟦2⟧"),
    Case("(a fox ⟦--ar⟧ 3:2)"),
    Case("a fox {in snow|⟦--seed⟧ 3}"),
)
