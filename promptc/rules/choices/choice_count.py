"""A choice that asks for more alternatives than it has.

## What it does
Reports a count that cannot be met: more than the alternatives there are, a lower limit above the upper one, or one
that is no whole number.

## Why is this bad
There is no way to pick. Some tools clamp the number in silence, others return no prompt at all.

## Example
```
{5$$oak|elm}
{3-1$$oak|elm|ash}
```

## Use instead
```
{2$$oak|elm}
{1-3$$oak|elm|ash}
```
"""

import re
from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.rules import Case
from promptc.rules.dialects.foreign_syntax import is_variable
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Choice, Number, Wildcard

CODE, NAME, SEVERITY = "E1102", "choice-count", "error"
NODES = (Choice,)


def check(node: Choice, facts: Facts) -> Iterator[Diagnostic]:
    if is_variable(facts.text, node.start):
        return
    counts = [number for number in (node.low, node.high) if number is not None]
    if not counts:
        return
    for number in counts:
        if number.value is None or number.value != int(number.value) or number.value < 0:
            span = Span(number.start, number.end)
            text = number.text.strip()
            message = f"the count `{text}` cannot be read"
            half = re.fullmatch(r"(\d+)-|-(\d+)", text)
            label = "both limits are written" if half else "a count is a whole number"
            way = f"write {half[1]}-{len(node.options)}" if half and half[1] else "write it as in {1-2$$a|b|c}"
            yield Diagnostic(CODE, NAME, "error", message, span, label, help=way)
            return
    low, high = node.low or counts[0], node.high or counts[-1]
    if _value(low) > _value(high):
        span = Span(low.start, high.end)
        swapped = f"{high.text.strip()}-{low.text.strip()}"
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            f"no count is from {low.text.strip()} to {high.text.strip()}",
            span,
            "the lower limit stands first",
            help=f"write `{swapped}`",
            fixes=(Fix(f"write `{swapped}`", (Edit(span, swapped),)),),
        )
        return
    there = _available(node, facts)
    if there is None:
        return
    worst = high if _value(high) > there else low
    if _value(worst) > there:
        plural = "alternative" if there == 1 else "alternatives"
        span = Span(worst.start, worst.end)
        labels = (Label(Span(node.start, node.end), f"it has {there} {plural}"),)
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            f"{worst.text.strip()} alternatives cannot be picked from {there}",
            span,
            "each is picked once at most",
            labels,
            help=f"write {there}, or add alternatives",
            fixes=(Fix(f"write {there}", (Edit(span, str(there)),)),),
        )


def _available(node: Choice, facts: Facts) -> int | None:
    """How many there are to pick from; None where the wildcard that is picked from is not known."""
    if not any(isinstance(part, Wildcard) for part in node.options[0].body):
        return len(node.options)
    from promptc.choose import sole_wildcard

    sole = sole_wildcard(node)
    if sole is None:
        return len(node.options)
    if facts.wildcards.faults(node):
        return None  # E1101 says what is wrong with it
    return sum(len(listing.entries) for listing in facts.wildcards.find(sole.name.text))


def _value(number: Number) -> float:
    return number.value or 0.0


VALID = (
    "{2$$oak|elm|ash}",
    "{1-2$$ and $$oak|elm|ash}",
    "{0-1$${in|at} a {0-1$$red} barn}",
    "{red|blue}",
    "{2$$__trees__}",
)
INVALID = (
    Case("{⟦5⟧$$oak|elm}", fixed="{2$$oak|elm}"),
    Case("{⟦3-1⟧$$oak|elm|ash}", fixed="{1-3$$oak|elm|ash}"),
    Case("{⟦1-⟧$$oak|elm}"),
    Case("{1-⟦4⟧$$oak|elm|ash}", fixed="{1-3$$oak|elm|ash}"),
)
