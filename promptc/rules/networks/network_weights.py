"""Weights of a network that are ambiguous or no numbers.

## What it does
Reports a network with two bare numbers, an argument that is no number, an argument that is unknown or given twice,
and a weight outside of -10 to 10.

## Why is this bad
Tools read two bare numbers in opposite orders: text encoder first in one, model first in another. The same prompt
gives different pictures.

## Example
```
<lora:ink:0.5:0.7>
```

## Use instead
```
<lora:ink:te=0.5:unet=0.7>
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.rules.structure.weight import choice_problem
from promptc.source import Span
from promptc.suggest import nearest
from promptc.tree import Argument, Choice, Network, Number, Text

CODE, NAME, SEVERITY = "E1202", "network-weights", "error"
NODES = (Network,)

KEYS = ("te", "unet", "dyn")
LIMIT = 10.0


def check(node: Network, facts: Facts) -> Iterator[Diagnostic]:
    bare = [argument for argument in node.arguments if argument.key is None]
    if node.kind.text.lower() == "embedding" and node.arguments:
        first = node.arguments[0]
        span = Span(first.start, node.arguments[-1].end)
        yield _error(
            "an embedding takes no weight of its own",
            span,
            "read as nothing",
            f"weigh it as text: (<embedding:{_name(node, facts)}>:1.2)",
        )
        return
    if len(bare) > 1 and all(isinstance(argument.value, Number) for argument in bare[:2]):
        yield _two(node, bare, facts)
        return
    seen: dict[str, Argument] = {}
    for argument in node.arguments:
        found = next(_argument(argument, facts), None)
        if found is not None:
            yield found
            continue
        key = argument.key.text.strip().lower() if argument.key is not None else ""
        if key in seen:
            other = seen[key]
            labels = (Label(Span(other.start, other.end), "given here"),)
            said = f"`{key}` is given twice" if key else "the weight is given twice"
            yield Diagnostic(
                CODE, NAME, "error", said, Span(argument.start, argument.end), "", labels, help="keep one of them"
            )
        seen.setdefault(key, argument)


def _argument(argument: Argument, facts: Facts) -> Iterator[Diagnostic]:
    key, value = argument.key, argument.value
    span = Span(value.start, value.end)
    if key is not None and key.text.strip().lower() not in KEYS:
        name = key.text.strip()
        close = nearest(name, KEYS)
        place = Span(key.start, key.end)
        way = f"did you mean `{close}`?" if close else "it takes te (text encoder), unet (model) and dyn (rank)"
        fixes = (Fix(f"write `{close}`", (Edit(place, close),)),) if close else ()
        yield Diagnostic(CODE, NAME, "error", f"a network has no argument `{name}`", place, help=way, fixes=fixes)
    elif isinstance(value, Text) or (isinstance(value, Number) and value.value is None):
        text = value.text.strip()
        choice = next((part for part in argument.parts if isinstance(part, Choice)), None)
        if choice is not None:
            yield choice_problem(CODE, NAME, choice, "the weight of a network", "weight", facts)
        elif text:
            yield _error(
                f"the weight `{text}` cannot be read", span, "this is no number", "write a number, as in <lora:ink:0.8>"
            )
        else:
            yield _error(
                "the weight is missing", Span(argument.start, argument.end), "", "write a number, as in <lora:ink:0.8>"
            )
    elif isinstance(value, Number) and value.value is not None and _far(key, value.value):
        side = f"above {LIMIT:g}" if value.value > 0 else f"below -{LIMIT:g}"
        message = f"the weight {value.text.strip()} is {side}"
        yield _error(message, span, "a network is added this many times", "networks are made for weights from 0 to 1")


def _far(key: Text | None, value: float) -> bool:
    return abs(value) > LIMIT and (key is None or key.text.strip().lower() != "dyn")


def _two(node: Network, bare: list[Argument], facts: Facts) -> Diagnostic:
    first, second = bare[0], bare[1]
    one, two = (facts.text[part.start : part.end].strip() for part in (first, second))
    span = Span(first.start, second.end)
    edits = (Edit(Span(first.start, second.end), f"te={one}:unet={two}"),)
    return Diagnostic(
        CODE,
        NAME,
        "error",
        "two bare numbers: tools disagree which is the text encoder's",
        span,
        "web UIs read the text encoder first, others the model",
        help=f"name them: te={one}:unet={two} as web UIs do, or te={two}:unet={one}",
        fixes=(Fix("read them as web UIs do", edits),),
    )


def _error(message: str, span: Span, label: str, help: str) -> Diagnostic:
    return Diagnostic(CODE, NAME, "error", message, span, label, help=help)


def _name(node: Network, facts: Facts) -> str:
    return facts.text[node.name[0].start : node.name[-1].end] if node.name else "name"


VALID = (
    "<lora:ink:0.8>",
    "<lora:ink>",
    "<lora:ink:te=0.5:unet=0.7>",
    "<lora:ink:{weight}>",
    "<lora:wind.SD1.5-V1:0.5>",
)
INVALID = (
    Case("<lora:ink:⟦0.5:0.7⟧> fox", fixed="<lora:ink:te=0.5:unet=0.7> fox"),
    Case("<lora:ink:⟦much⟧> fox"),
    Case("<lora:ink:⟦{0.5|1}⟧> fox"),
    Case("<lora:ink:te=⟦{0.5|1}⟧> fox"),
    Case("<lora:ink:⟦ten⟧=0.5> fox", fixed="<lora:ink:te=0.5> fox"),
    Case("<lora:ink:te=0.5:⟦te=0.6⟧> fox"),
    Case("<lora:ink:⟦80⟧> fox"),
)
