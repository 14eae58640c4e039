"""A schedule that never switches, or that is none.

## What it does
Warns of a switch point at which nothing changes during the run: 0 or less (the second text from the start), a
fraction of 1.0 or more, or a step that is not before the last one. A number with a dot or a `%` is a fraction of the
run; a whole number is a step. The run has `--steps` steps, or those of the project.

A bracket with colons whose last part is no number is de-emphasis. Where it looks as if a schedule was meant, a note
says so.

## Why is this bad
One of the two texts never reaches the encoder, and the picture does not tell.

## Example
```
a [stone:brick:1.0] mill, [red:blue:half] sky
```

## Use instead
```
a [stone:brick:0.5] mill, [red:blue:0.5] sky
```

Web UIs read `[a:b:1]` as step 1, and `[a:b:1.0]` as the end of the run.
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.rules.structure.weight import choice_problem, numbers
from promptc.source import Span
from promptc.tree import Choice, Emphasis, Number, Schedule, Text

CODE, NAME, SEVERITY = "E1003", "dead-schedule", "warning"
NODES = (Schedule, Emphasis)

_LOOKS = pattern(r"[^\s:/\d]:[^\s:/\d]")
_TIGHT = pattern(r"\[[^\[\]:\n]+:[^\[\]:\n]*:[^\[\]:\n]+\]")


def check(node: Schedule | Emphasis, facts: Facts) -> Iterator[Diagnostic]:
    if isinstance(node, Schedule):
        yield from _switch(node, facts)
    elif node.bracket == "[":
        yield from _alike(node, facts)


def _switch(node: Schedule, facts: Facts) -> Iterator[Diagnostic]:
    when = node.when
    if not isinstance(when, Number):
        return
    span = Span(when.start, when.end)
    text = when.text.strip()
    if when.value is None:
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            f"the switch point `{text}` cannot be read",
            span,
            "this is no number",
            help="write a fraction of the run (0.5, 50%) or a step (12)",
        )
        return
    fraction = "." in text or "%" in text
    before = facts.text[node.before[0].start : node.before[-1].end] if node.before else ""
    after = facts.text[node.after[0].start : node.after[-1].end] if node.after else ""
    if when.value <= 0:
        lost, label = before, "0 is before the first step"
        said = "the switch has happened before the first step"
    elif fraction and when.value >= 1:
        lost, label = after, "1.0 is the end of the run" if when.value == 1 else "this is after the end of the run"
        said = "this switch never happens"
    elif not fraction and when.value >= facts.steps:
        lost, label = after, f"the run has {facts.steps} step{'s' if facts.steps != 1 else ''}"
        said = "this switch never happens"
    else:
        return
    shown = lost.strip() if len(lost.strip()) <= 30 else lost.strip()[:29] + "…"
    message = f"{said}: `{shown}` is never used" if shown else said
    way = "a fraction between 0 and 1 switches within the run, as in 0.5"
    if when.value == 1 and fraction:
        way = "write 1 for the first step, or a fraction below 1"
    yield Diagnostic(CODE, NAME, "warning", message, span, label, help=way)


def _alike(node: Emphasis, facts: Facts) -> Iterator[Diagnostic]:
    if not any(isinstance(part, Text) and ":" in part.text for part in node.body):
        return
    *_, before, last = (None, *node.body)
    if isinstance(last, Choice) and isinstance(before, Text) and before.text.endswith(":") and numbers(last):
        yield choice_problem(CODE, NAME, last, "a switch point", "when", facts)
        return
    text = facts.text[node.start : node.end]
    if "://" in text or not (_TIGHT.fullmatch(text) or _LOOKS.search(text)):
        return
    after = text.rpartition(":")[2].removesuffix("]").strip()
    yield Diagnostic(
        CODE,
        NAME,
        "note",
        "this reads as de-emphasis, and looks like a schedule",
        Span(node.start, node.end),
        f"`{after}` is no switch point" if after else "the switch point is missing",
        help="a schedule ends with a number, as in [red:blue:0.5]; escape the colons as `\\:` to keep them",
    )


VALID = (
    "a mill, [stone:brick:0.25]",
    "[brick:0.25], [:brick:0.25], [stone::0.25]",
    "[red:blue:10]",
    "[red:blue:25] --steps 30",
    Case("a [red:blue:25] sky", settings={"target": "sdxl"}),
    "[red:blue:50%]",
    "[soft light]",
    "[at noon: the sea]",
    "[see https://x.example/a:b]",
    "[red:blue:{when}]",
)
INVALID = (
    Case("a [stone:brick:⟦0⟧] mill"),
    Case("a [stone:brick:⟦1.0⟧] mill"),
    Case("a [stone:brick:⟦3.0⟧] mill"),
    Case("a [stone:brick:⟦100%⟧] mill"),
    Case("a [stone:brick:⟦20⟧] mill"),
    Case("a [stone:brick:⟦12⟧] mill --steps 10"),
    Case("a [stone:brick:⟦12⟧] mill", settings={"steps": 12}),
    Case("a ⟦[red:blue:half]⟧ sky"),
    Case("a ⟦[red:blue]⟧ sky"),
    Case("a [red:blue:⟦{3|5}⟧] sky"),
    Case("a [blue:⟦{0.3|50%}⟧] sky"),
)
