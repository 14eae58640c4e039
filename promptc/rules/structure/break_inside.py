"""`BREAK` inside of brackets.

## What it does
Warns of a `BREAK` between a bracket and its partner.

## Why is this bad
promptc ends the chunk there, and the weight counts on both sides. Web UIs multiply the break's own mark by the
weight and encode the word "BREAK" in its place.

## Example
```
(a fox BREAK in the snow:1.2)
```

## Use instead
```
(a fox:1.2) BREAK (in the snow:1.2)
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Break, Emphasis

CODE, NAME, SEVERITY = "W1006", "break-inside", "warning"
NODES = (Break,)


def check(node: Break, facts: Facts) -> Iterator[Diagnostic]:
    if facts.inside(node, Emphasis) is not None:
        yield Diagnostic(
            CODE,
            NAME,
            "warning",
            "`BREAK` stands inside of a weight",
            Span(node.start, node.end),
            "other tools encode the word here",
            help="close the bracket before `BREAK`, and open it again after it",
        )


VALID = ("lone ranger, BREAK (plain wall:1.4), whole figure", "{a BREAK b|c}")
INVALID = (Case("(a fox ⟦BREAK⟧ in the snow:1.2)"), Case("((a [b ⟦BREAK⟧ c]))"))
