"""A weight of an alternative that is no chance.

## What it does
Reports a weight before `::` that is negative or no number, and a choice whose weights are all 0: it has no possible
pick.

## Why is this bad
A weight is a share of the chances. A negative one is none, and with all of them 0 there is nothing to pick from.

## Example
```
{0::red|0::blue} rose, {-1::red|blue} rose
```

## Use instead
```
{red|blue} rose, {3::red|blue} rose
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic
from promptc.rules import Case
from promptc.rules.dialects.foreign_syntax import is_variable
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Choice

CODE, NAME, SEVERITY = "E1103", "choice-weight", "error"
NODES = (Choice,)


def check(node: Choice, facts: Facts) -> Iterator[Diagnostic]:
    if is_variable(facts.text, node.start):
        return
    weights = [option.weight for option in node.options]
    for weight in weights:
        if weight is not None and (weight.value is None or weight.value < 0):
            label = "this is no number" if weight.value is None else "a share is 0 or more"
            message = f"`{weight.text.strip()}` is no weight of an alternative"
            span = Span(weight.start, weight.end)
            yield Diagnostic(CODE, NAME, "error", message, span, label, help="write it as in {3::red|blue}")
            return
    if weights and all(weight is not None and weight.value == 0 for weight in weights):
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            "every alternative has the weight 0",
            Span(node.start, node.end),
            "there is nothing to pick",
            help="give at least one of them a weight above 0",
        )


VALID = ("{3::red|blue} rose", "{0::red|blue} rose", "{0.5::a|0.25::b}")
INVALID = (Case("⟦{0::red|0::blue}⟧ rose"), Case("{⟦-1⟧::red|blue} rose"))
