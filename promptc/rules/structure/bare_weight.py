"""A weight without its bracket, or not at the end of it.

## What it does
Warns of a word with a decimal number behind a colon (`haze:1.4`, `owl:0`) that is not the weight of a bracket.

## Why is this bad
The colon and the digits are encoded as words. Some tools stop at them.

## Example
```
portrait, tall oak:0.1, mist, (owl:1.33, single)
```

## Use instead
```
portrait, (tall oak:0.1), mist, ((owl:1.33), single)
```
"""

import re
from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Emphasis, Parameter, Placeholder, Root, Stray, Text

CODE, NAME, SEVERITY = "W1004", "bare-weight", "warning"
NODES = (Root,)

_BARE = pattern(r"(?<![\w.:/])([\w'’-]*[^\W\d_][\w'’-]+)(:(?:[0-3]\.\d{1,3}|\.\d{1,3}|0))(?![\w.:%/])", re.ASCII)
_PHRASE = pattern(r"[^,;.:|()\[\]{}<>\n]*\Z")
_MEASURES = frozenset({"ratio", "aspect", "scale", "aperture", "version", "iso", "size", "at", "from", "to", "odds"})
"""Words that stand before a plain number in prose."""

PHRASE = 80
"""The longest text that is taken for what a weight was meant for."""


def check(node: Root, facts: Facts) -> Iterator[Diagnostic]:
    if ":" in facts.text:
        for text in facts.nodes(Text):
            if ":" in text.text:
                yield from _weights(text, facts)


def _weights(node: Text, facts: Facts) -> Iterator[Diagnostic]:
    for found in _BARE.finditer(node.text):
        if found[1].lower() in _MEASURES:
            continue
        parent = facts.parents.get(id(node))
        if isinstance(parent, Parameter | Placeholder):
            return
        if isinstance(parent, Emphasis) and found.end() == len(node.text):
            continue  # it stands right before the bracket's own weight: E1002 says so
        if any(stray.text == "(" and stray.end <= node.start + found.start() for stray in facts.nodes(Stray)):
            continue  # its bracket is broken: E1001 says so
        span = Span(node.start + found.start(2), node.start + found.end(2))
        phrase = _PHRASE.search(node.text[max(0, found.start(2) - PHRASE) : found.start(2)])
        words = (phrase.group().lstrip() if phrase is not None else "") or found[1]
        start = node.start + found.start(2) - len(words)
        weighted = f"({words}{found[2]})"
        yield Diagnostic(
            CODE,
            NAME,
            "warning",
            f"`{found[2]}` is read as text, not as a weight",
            span,
            "a weight stands at the end of a bracket",
            help=f"write `{weighted}`, or `{found[1]}\\{found[2]}` for the text",
            fixes=(Fix(f"write `{weighted}`", (Edit(Span(start, span.end), weighted),)),),
        )


VALID = (
    "(haze:1.4)",
    "at 12:30, ratio:1.85, f/1.8, f:1.8, 16:9",
    "http://host:1.5",
    "C++ :3 >_< #ff0000",
    "{strength = 1.4}",
    "a cat :1.2 AND a dog :0.7",
    "(film grain:1.2",
)
INVALID = (
    Case("haze⟦:1.4⟧", fixed="(haze:1.4)"),
    Case("portrait, tall oak⟦:0.1⟧, mist", fixed="portrait, (tall oak:0.1), mist"),
    Case("(1owl⟦:1.33⟧, single), (blue wings)", fixed="((1owl:1.33), single), (blue wings)"),
    Case("a night owl⟦:0⟧", fixed="(a night owl:0)"),
)
