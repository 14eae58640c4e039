"""A prompt that is longer than the target's text encoder reads.

## What it does
Counts the tokens of each part of the prompt (parts end at `BREAK`) for each text encoder of the target, for every
choice, every value and every step of a schedule. Where all of them are over the window, it quotes the text that is
lost.

Emphasis, schedules and networks cost no tokens, and of a schedule only the text in force is counted. Targets that
encode a long prompt in chunks lose nothing (promptc's own model does so), and neither does an encoder of which only
one vector is used. `promptc check` judges a prompt that names no target, in a project that names none, as one for
`sd15`.

## Why is this bad
Pipelines cut the prompt, and say so in a log at most. What is lost is mostly the style at its end.

## Example
With `target = "sd15"`, a window of 75 tokens:
```
a heron standing in a misty reed bed at dawn, … 80 tokens …, archival border
```

## Use instead
A shorter prompt, or the text that counts most first.

## References
- https://huggingface.co/docs/diffusers/main/en/using-diffusers/weighted_prompts
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Branch

CODE, NAME, SEVERITY = "E1401", "token-window", "error"
NODES = (Branch,)


def check(node: Branch, facts: Facts) -> Iterator[Diagnostic]:
    if not cuts(facts) or not facts.first(node):
        return
    for verdict, titles in facts.windows:
        if verdict.verdict == "always" and verdict.counted and not verdict.pooled:
            lost = quoted(verdict.lost)
            many = verdict.over
            tokens = f"{many} token{'s' if many != 1 else ''}"
            yield Diagnostic(
                CODE,
                NAME,
                "error",
                f"the prompt is {tokens} too long: {lost} is lost",
                verdict.span or Span(node.start, node.end),
                f"{titles} reads {verdict.window} tokens, and this comes after them",
                help=f"shorten the prompt by {tokens}, or move what counts to the front",
                notes=(f"it is this long at step {verdict.last}",) if facts.changes else (),
            )


def cuts(facts: Facts) -> bool:
    """Whether the prompt may be long, and the target cuts a long one. promptc's own model reads it in chunks."""
    return facts.settings.target is not None and not facts.short and facts.target.overflow == "truncate"


def quoted(text: str) -> str:
    """The lost text, shortened in its middle."""
    text = " ".join(text.split()).lstrip(",;. ")
    return f"`{text}`" if len(text) <= 60 else f"`{text[:40]}…{text[-15:]}`"


_LONG = (
    "a heron standing in a misty reed bed at dawn, soft side light, muted greens, shallow depth of field, long lens, "
    "quiet mood, fine grain, hand coated paper, deckled edge, platinum tone, wide margins, ziatype print, warm split "
    "tone, visible brush strokes at the border, cotton rag texture, museum scan, high dynamic range, archival border"
)
VALID = (
    Case(_LONG, settings={"target": "sd15"}),
    Case(f"{_LONG}, catalogue photograph", settings={"target": "landscape"}),
    Case(f"{_LONG} BREAK catalogue photograph", settings={"target": "sd15"}),
    Case(f"<lora:catalogue_photograph_of_birds:0.6> {_LONG}", settings={"target": "sd15"}),
    Case(f"{_LONG}, catalogue photograph"),
)
INVALID = (
    Case(f"{_LONG}⟦, catalogue photograph⟧", settings={"target": "sd15"}),
    Case(f"{_LONG}⟦, catalogue photograph⟧", settings={"target": "sdxl"}),
    Case(f"{_LONG}⟦, {{catalogue photograph⟧|catalogue picture}}", settings={"target": "sd15"}),
)
