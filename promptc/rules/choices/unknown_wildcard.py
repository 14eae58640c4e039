"""A wildcard that gives nothing.

## What it does
Reports a wildcard that no file of the project has (with the nearest name), one whose file is empty or cannot be read,
wildcards that refer to one another in a circle, and marks with more than two underscores.

A name is looked up from the folder of the file that it stands in, then from the top.

## Why is this bad
Tools send the name itself to the encoder, or never come to an end.

## Example
```
a __color__ hat, a ____color____ hat
```

## Use instead
With `wildcards/colors.txt` in the project:
```
a __colors__ hat
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Root, Text, Wildcard

CODE, NAME, SEVERITY = "E1101", "unknown-wildcard", "error"
NODES = (Root, Wildcard)

_MARKS = pattern(r"(?<![\w])(___+)([A-Za-z0-9*][\w/*-]*?[A-Za-z0-9*]|[A-Za-z0-9*])(___+)(?!\w)")


def check(node: Root | Wildcard, facts: Facts) -> Iterator[Diagnostic]:
    if isinstance(node, Root):
        if "___" in facts.text:
            for text in facts.nodes(Text):
                yield from _marks(text)
    elif facts.first(node) and (facts.settings.wildcards is not None or facts.settings.root is not None):
        yield from _faults(facts)


def _marks(node: Text) -> Iterator[Diagnostic]:
    for found in _MARKS.finditer(node.text):
        span = Span(node.start + found.start(), node.start + found.end())
        better = f"__{found[2]}__"
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            "a wildcard has two underscores on each side",
            span,
            "this is read as text",
            help=f"write `{better}`",
            fixes=(Fix(f"write `{better}`", (Edit(span, better),)),),
        )


def _faults(facts: Facts) -> Iterator[Diagnostic]:
    for fault in facts.wildcards.faults(facts.root):
        fixes: tuple[Fix, ...] = ()
        notes: tuple[str, ...] = ()
        label = "no file has it" if fault.kind == "unknown" else ""
        if fault.fragment is not None:
            place = fault.fragment.origin.position(fault.fragment.span(*(fault.inner or Span(0, 0))).start)
            notes = (f"it stands at {fault.fragment.origin.path}:{place.line}:{place.column}",)
            label = "reached from here"
        elif fault.suggestion is not None:
            inside = Span(fault.span.start + 2, fault.span.end - 2)
            fixes = (Fix(f"write `__{fault.suggestion}__`", (Edit(inside, fault.suggestion),)),)
        yield Diagnostic(CODE, NAME, "error", fault.message, fault.span, label, (), notes, fault.help, fixes)


_FILES = {
    "wildcards/colors.txt": b"red\nblue\n",
    "wildcards/none.txt": b"# nothing yet\n",
    "wildcards/a.txt": b"__b__\n",
    "wildcards/b.txt": b"x\n__a__\n",
    "wildcards/pack/people/all.txt": b"__people/eu__\n",
    "wildcards/pack/people/eu.txt": b"sailor\n",
}
VALID = (
    Case("a __colors__ hat", files=_FILES),
    Case("a __pack/people/*__", files={key: value for key, value in _FILES.items() if key.endswith("eu.txt")}),
    "a snake_case__name in text",
    "<lora:Night__Nurse:0.7>, {x|y}",
)
INVALID = (
    Case("a ⟦__color__⟧ hat", files=_FILES, fixed="a __colors__ hat"),
    Case("{⟦__anyof__⟧|b|c}", files=_FILES),
    Case("a ⟦__none__⟧ hat", files=_FILES),
    Case("a ⟦__a__⟧ hat", files=_FILES),
    Case("a ⟦__pack/people/all__⟧", files=_FILES),
    Case("a ⟦____colors____⟧ hat, {a|b}", files=_FILES, fixed="a __colors__ hat, {a|b}"),
)
