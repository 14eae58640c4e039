"""A prompt that may be longer than the target's text encoder reads.

## What it does
Warns where some choices or values put a part of the prompt over the window of a text encoder and others do not, and
where a placeholder has next to no tokens left. For encoders whose tokens cannot be counted here, a note says that the
prompt may be too long.

## Why is this bad
Whether the end of the prompt counts depends on what is picked.

## Example
With `target = "sd15"`, a window of 75 tokens:
```
… 74 tokens …, {owl|a barn owl in flight}
```

## Use instead
A text that fits with its longest alternative.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptc.diagnostic import Diagnostic
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.rules.tokens.token_window import _LONG, cuts, quoted
from promptc.source import Span
from promptc.tree import Branch, Placeholder

if TYPE_CHECKING:
    from promptc.window import WindowVerdict

CODE, NAME, SEVERITY = "W1402", "token-budget", "warning"
NODES = (Branch,)

ROOM = 4
"""Fewer tokens than this hold hardly any value."""


def check(node: Branch, facts: Facts) -> Iterator[Diagnostic]:
    if not cuts(facts) or not facts.first(node):
        return
    for verdict, titles in facts.windows:
        if verdict.pooled or verdict.verdict == "never":
            continue
        branch = facts.root.branches[verdict.branch]
        if not verdict.counted:
            yield _uncounted(verdict, titles, Span(branch.start, branch.end))
        elif verdict.over and verdict.verdict == "may":
            yield _over(verdict, titles, branch)
        elif verdict.most is None and verdict.room < ROOM and verdict.verdict == "may":
            yield _narrow(verdict, titles, facts)


def _over(verdict: "WindowVerdict", titles: str, branch: Branch) -> Diagnostic:
    lost = quoted(verdict.lost)
    tokens = f"{verdict.over} token{'s' if verdict.over != 1 else ''}"
    return Diagnostic(
        CODE,
        NAME,
        "warning",
        f"the prompt may be {tokens} too long: {lost} would be lost",
        verdict.span or Span(branch.start, branch.end),
        f"{titles} reads {verdict.window} tokens, and this comes after them",
        help="shorten the longest alternatives",
    )


def _narrow(verdict: "WindowVerdict", titles: str, facts: Facts) -> Diagnostic:
    branch = facts.root.branches[verdict.branch]
    hole = next((one for one in facts.nodes(Placeholder) if branch.start <= one.start < branch.end), None)
    span = Span(hole.start, hole.end) if hole is not None else Span(branch.start, branch.end)
    left = f"{verdict.room} token{'s' if verdict.room != 1 else ''}"
    return Diagnostic(
        CODE,
        NAME,
        "warning",
        f"{left} are left for what is not known yet",
        span,
        f"{titles} reads {verdict.window} tokens, and the rest of the prompt takes {verdict.least}",
        help="shorten the rest of the prompt",
    )


def _uncounted(verdict: "WindowVerdict", titles: str, span: Span) -> Diagnostic:
    return Diagnostic(
        CODE,
        NAME,
        "note",
        f"the prompt may be longer than {titles} reads",
        span,
        f"it reads {verdict.window} tokens, which cannot be counted here",
        help="a token is about four letters of English text",
    )


VALID = (
    Case(_LONG, settings={"target": "sd15"}),
    Case(_LONG),
    Case("a {subject} in the snow", settings={"target": "sd15"}),
    Case(f"{_LONG}, catalogue photograph", settings={"target": "landscape"}),
)
INVALID = (
    Case(f"{_LONG}{{|⟦, catalogue photograph⟧}}", settings={"target": "sd15"}),
    Case(f"⟦{{subject}}⟧ {_LONG}", settings={"target": "sd15"}),
)
