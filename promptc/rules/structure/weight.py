"""A weight that is no number, or one that the target cannot use.

## What it does
Reports a weight that cannot be read (`1.2.3`, `abc`, `nan`, `1e2`, `1,2`), a second weight in one bracket, a choice
in the place of a weight, and, as a warning, a weight that is missing (`(fog:)`) or outside of what the target's text encoder can use. A weight of 0 is named, too: it silences the
text, whose tokens still take their place.

## Why is this bad
Tools fall back to x1.1, encode the digits as words or stop. Far outside of its range a weight turns the picture
into noise.

## Example
```
(fog:1.2.3), (a cape:1.2:1.1), (fox:666)
```

## Use instead
```
(fog:1.2), (a cape:1.2), (fox:1.6)
```
"""

import re
from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.parse.forms import NUMBER
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Branch, Choice, Emphasis, Number, Text

CODE, NAME, SEVERITY = "E1002", "weight", "error"
NODES = (Emphasis, Branch)

_BARE = pattern(r"\w:\s*\Z")
_SECOND = pattern(r":\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*\Z", re.ASCII)


def check(node: Emphasis | Branch, facts: Facts) -> Iterator[Diagnostic]:
    weight = node.weight
    if isinstance(weight, Number):
        span = Span(weight.start, weight.end)
        if weight.value is None:
            yield _unreadable(weight.text, span)
        elif isinstance(node, Emphasis):
            yield from _limits(weight.value, span, facts)
            yield from _second(node, facts)
    elif weight is None:
        yield from _missing(node, facts)


def _missing(node: Emphasis | Branch, facts: Facts) -> Iterator[Diagnostic]:
    """Where a bracket or a branch ends in a colon and nothing, or in a colon and a choice of numbers."""
    body = [part for part in node.body if not (isinstance(part, Text) and not part.text.strip())]
    last = body[-1] if body else None
    if isinstance(node, Emphasis) and node.bracket == "[":
        return  # takes no weight
    if isinstance(last, Choice) and numbers(last):
        before = body[-2] if len(body) > 1 else None
        composed = isinstance(node, Emphasis) or len(facts.root.branches) > 1
        if composed and isinstance(before, Text) and before.text.endswith(":" if isinstance(node, Emphasis) else " :"):
            yield choice_problem(CODE, NAME, last, "a weight", "strength", facts)
    elif isinstance(node, Emphasis) and isinstance(last, Text) and _BARE.search(last.text):
        at = last.start + len(last.text.rstrip()) - 1
        yield Diagnostic(
            CODE,
            NAME,
            "warning",
            "the weight is missing",
            Span(at, at + 1),
            "this colon is read as text",
            help="write a number after it, as in (fog:1.3), or escape it as `\\:`",
        )


def numbers(choice: Choice) -> bool:
    """Whether a choice is one of numbers only."""
    return all(
        len(option.body) == 1 and isinstance(text := option.body[0], Text) and NUMBER.fullmatch(text.text.strip(" %"))
        for option in choice.options
    )


def choice_problem(code: str, name: str, choice: Choice, place: str, hole: str, facts: Facts) -> Diagnostic:
    """A choice of numbers that stands where one number must; a placeholder of that name may stand there."""
    texts = [facts.text[option.body[0].start : option.body[-1].end].strip() for option in choice.options]
    return Diagnostic(
        code,
        name,
        "error",
        f"a choice is not read as {place}",
        Span(choice.start, choice.end),
        "a number or a placeholder can stand here",
        help=f"make a choice of the whole brackets, or a placeholder: `{{{hole} = {texts[0]}}}`",
    )


def _unreadable(text: str, span: Span) -> Diagnostic:
    lowered = text.strip().lower().lstrip("+-")
    label = "this is no number"
    better: str | None = None
    if not lowered:
        label = "a number is missing"
    elif re.fullmatch(r"\d+,\s*\d+", lowered):
        better = re.sub(r",\s*", ".", text.strip())
        label = "decimals are written with a dot"
    elif "e" in lowered and (found := _plain(text)) is not None:
        better, label = found, "powers of ten are not read"
    elif lowered.count(".") > 1:
        label = "it has more than one dot"
        head = re.match(r"\s*[+-]?\d*\.\d+", text)
        better = head.group().strip() if head else None
    elif lowered in ("nan", "inf", "infinity"):
        label = "this is no finite number"
    fixes = (Fix(f"write {better}", (Edit(span, better),)),) if better else ()
    return Diagnostic(
        CODE,
        NAME,
        "error",
        f"the weight `{text.strip()}` cannot be read" if text.strip() else "the weight is missing",
        span,
        label,
        help="write a number, as in (fog:1.3), or escape the colon as `\\:`",
        fixes=fixes,
    )


def _plain(text: str) -> str | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return f"{value:g}" if abs(value) < 1000 and "e" not in f"{value:g}" else None


def _limits(value: float, span: Span, facts: Facts) -> Iterator[Diagnostic]:
    limits = facts.settings.weights or facts.target.weight
    low, high = limits
    if low == high:
        return  # the target ignores weights altogether: W1503 says so
    if value == 0 and low <= 0:
        yield Diagnostic(
            CODE,
            NAME,
            "warning",
            "a weight of 0 silences the text, and does not remove it",
            span,
            "its tokens still take their place",
            help="remove the text, or move it to `--no`",
        )
    elif not low <= value <= high:
        side = f"below {low:g}" if value < low else f"above {high:g}"
        way = "what should not be in the picture goes into `--no`" if value < 0 else f"stay within {low:g} to {high:g}"
        yield Diagnostic(
            CODE,
            NAME,
            "warning",
            f"the weight {value:g} is {side}",
            span,
            f"{facts.target.title} takes weights from {low:g} to {high:g}",
            help=way,
        )


def _second(node: Emphasis, facts: Facts) -> Iterator[Diagnostic]:
    last = node.body[-1] if node.body else None
    if not isinstance(last, Text):
        return
    found = _SECOND.search(last.text)
    if found is not None and found.start() > 0 and node.weight is not None:
        end = node.weight.end
        span = Span(last.end, end)
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            "this bracket has two weights",
            span,
            f"`{found.group().strip()}` stands before it already",
            help="keep one of them, or put the text into a bracket of its own",
            fixes=(Fix("remove the second weight", (Edit(span, ""),)),),
        )


VALID = (
    "(oak desk:0.8) under a (brass lamp:1.2)",
    "sea ((((lit (fox:1.6) glow)))) end",
    "(fog), [fog], (fog:{strength})",
    "(chapter 3: the sea)",
    "(a cat :), (colour:{red|blue}), (fog:{strength = 1.2})",
    "a {1|2} AND b",
    "a cat :1.2 AND a dog :0.7",
)
INVALID = (
    Case("(fog:⟦1.2.3⟧)", fixed="(fog:1.2)"),
    Case("(fog:⟦nan⟧)"),
    Case("(fog⟦:⟧)"),
    Case("(fog:⟦{1.2|1.4}⟧)"),
    Case("a cat :⟦{1|2}⟧ AND a dog"),
    Case("(fog:⟦12e-1⟧)", fixed="(fog:1.2)"),
    Case("(fog:⟦1,2⟧)", fixed="(fog:1.2)"),
    Case("photo of a (grey:⟦1, 25⟧) fox", fixed="photo of a (grey:1.25) fox"),
    Case("a fox (in a cape:1.2⟦:1.1⟧) looks up", fixed="a fox (in a cape:1.2) looks up"),
    Case("sea (fox:⟦666⟧)"),
    Case("a (fog:⟦0⟧) b"),
    Case("a (fog:⟦-1⟧) b"),
    Case("a fox --no (haze:⟦1.2.3⟧), rain", fixed="a fox --no (haze:1.2), rain"),
)
