"""Parameters that cannot stand together.

## What it does
Reports a parameter that is given twice, two that say the same thing in different ways (`--ar` and `--size`), one that
needs another (`--strength` without `--init`), and one that has no effect with the value of another (`--quality` with
`--format png`).

## Why is this bad
One of them would not count, and nothing would say which.

## Example
```
a fox --seed 1 --seed 2 --ar 4:5 --size 512x512
```

## Use instead
```
a fox --seed 1 --size 512x640
```
"""

from collections.abc import Iterator, Mapping

from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.parameters import Given, Unresolved
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Parameter

CODE, NAME, SEVERITY = "E1303", "parameter-conflict", "error"
NODES = (Parameter,)


def check(node: Parameter, facts: Facts) -> Iterator[Diagnostic]:
    if not facts.first(node):
        return
    first: dict[str, Given] = {}
    for given in facts.parameters:
        name = given.spec.name
        before = first.get(name)
        if before is not None and not given.spec.repeats:
            yield _found(
                given, f"`--{name}` is given twice", "the second time", "keep one of them", before, "the first time"
            )
        first.setdefault(name, given)
    for name, given in first.items():
        spec = given.spec
        for other in spec.excludes:
            if other in first and first[other].parameter.start < given.parameter.start:
                message = f"`--{name}` and `--{other}` exclude each other"
                yield _found(
                    given, message, "both set the same", "keep one of them", first[other], f"`--{other}` is given here"
                )
        if spec.needs is not None and spec.needs not in first:
            message = f"`--{name}` needs `--{spec.needs}`"
            yield _found(given, message, "without it, nothing changes", f"add `--{spec.needs}`, or remove it")
        yield from _only(given, first)


def _only(given: Given, first: Mapping[str, Given]) -> Iterator[Diagnostic]:
    """A parameter whose effect is limited to some values of another."""
    for other, values in given.spec.only.items():
        beside = first.get(other)
        meant = beside.meant if beside is not None else None
        if beside is None or meant is None or isinstance(meant, Unresolved) or beside.problems:
            continue
        chosen = meant if isinstance(meant, tuple) else (meant,)
        if not any(value in values for value in chosen):
            shown = ", ".join(map(str, chosen))
            message = f"`--{given.spec.name}` has no effect with `--{other} {shown}`"
            way = f"it counts for {', '.join(values)}"
            yield _found(given, message, "this changes nothing", way, beside, "set here")


def _found(given: Given, message: str, label: str, help: str, other: Given | None = None, said: str = "") -> Diagnostic:
    parameter = given.parameter
    span = Span(parameter.dash.start, parameter.name.end)
    labels = () if other is None else (Label(Span(other.parameter.dash.start, other.parameter.name.end), said),)
    fixes: tuple[Fix, ...] = ()
    if given.rest is None:
        fixes = (Fix(f"remove `--{given.spec.name}`", (Edit(Span(parameter.start, parameter.end), ""),)),)
    return Diagnostic(CODE, NAME, "error", message, span, label, labels, help=help, fixes=fixes)


VALID = (
    "a fox --ar 4:5 --seed 1",
    "a fox --init sketch.png --strength 0.5",
    "a fox --no fog --no rain",
    "a fox --quality 90",
    "a fox --quality 90 --format png,webp",
)
INVALID = (
    Case("a fox --seed 1 ⟦--seed⟧ 2"),
    Case("a fox --ar 4:5 ⟦--size⟧ 512x512"),
    Case("a fox --ar 4:5 ⟦--aspect⟧ 1:1"),
    Case("a fox ⟦--strength⟧ 0.5"),
    Case("a fox ⟦--sw⟧ 100"),
    Case("a fox ⟦--quality⟧ 90 --format png"),
)
