"""Syntax that the target cannot act on.

## What it does
Where the target's text encoder ignores weights (T5 and other language models do), warns of emphasis; where its
pipeline has one text for the whole run, of schedules and alternations; where it has one prediction, of `AND`. Each
is named once in a prompt.

## Why is this bad
The text is encoded as if the marks were not there, or with the marks as words.

## Example
With `target = "flux"`:
```
a hero (saga:1.3), [dawn:night:0.5]
```

## Use instead
```
a hero, above all his saga, at dawn
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Label
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Alternation, Branch, Emphasis, Mark, Node, Schedule

CODE, NAME, SEVERITY = "W1503", "no-effect", "warning"
NODES = (Emphasis, Schedule, Alternation, Branch)


def check(node: Node, facts: Facts) -> Iterator[Diagnostic]:
    if facts.settings.target is None or not facts.first(node):
        return
    target = facts.target
    if isinstance(node, Emphasis) and not target.weights:
        readers = " and ".join(encoder.title for encoder in target.encoders if not encoder.weights)
        spans = [Span(each.start, each.end) for each in facts.nodes(Emphasis)]
        yield _report(
            "weights have no effect here", f"{readers} ignores weights", spans, "say in words what counts most"
        )
    elif isinstance(node, Schedule | Alternation) and not target.schedule:
        changing: list[Schedule | Alternation] = [*facts.nodes(Schedule), *facts.nodes(Alternation)]
        if min(each.start for each in changing) == node.start:
            spans = sorted(Span(each.start, each.end) for each in changing)
            label = f"{target.title} encodes one text"
            yield _report(
                "the text cannot change during the run here", label, spans, "write one text for the whole run"
            )
    elif isinstance(node, Branch) and not target.composition and len(facts.root.branches) > 1:
        marks = [part for part in facts.root.parts if isinstance(part, Mark) and part.text.strip() == "AND"]
        spans = [Span(part.start, part.end) for part in marks] or [Span(node.start, node.end)]
        label = f"{target.title} takes one text"
        yield _report("`AND` has no effect here", label, spans, "write one text, with `and` in small letters")


def _report(message: str, label: str, spans: list[Span], help: str) -> Diagnostic:
    labels = tuple(Label(span, "and here") for span in spans[1:4])
    more = len(spans) - 4
    notes = (f"{more} more {'place' if more == 1 else 'places'}",) if more > 0 else ()
    return Diagnostic(CODE, NAME, "warning", message, spans[0], label, labels, notes, help=help)


VALID = (
    "a hero (saga:1.3)",
    Case("a hero (saga:1.3), [dawn:night:0.5]", settings={"target": "sd15"}),
    Case("a hero, his saga", settings={"target": "flux"}),
)
INVALID = (
    Case("a hero ⟦(saga:1.3)⟧", settings={"target": "flux"}),
    Case("a ⟦[dawn:night:0.5]⟧ sky", settings={"target": "flux"}),
    Case("a fox ⟦AND⟧ a hare", settings={"target": "sd3"}),
)
