"""A prompt without text.

## What it does
Warns of a prompt that has parameters, networks or a comment, and nothing that reaches an encoder.

## Why is this bad
The picture is made from the empty text: what comes out is any picture the model likes.

## Example
```
<lora:ink:0.8> --ar 4:5
```

## Use instead
```
<lora:ink:0.8> a lighthouse --ar 4:5
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import (
    BadBraces,
    Break,
    Choice,
    Comment,
    Escape,
    Mark,
    Network,
    Node,
    Parameter,
    Placeholder,
    Raw,
    Root,
    Stray,
    Text,
    Value,
    Wildcard,
)  # fmt: skip

CODE, NAME, SEVERITY = "W1008", "no-text", "warning"
NODES = (Parameter, Network, Break)

_SAID = (Escape, Raw, Placeholder, Value, Wildcard, BadBraces, Stray, Choice)


def check(node: Parameter | Network | Break, facts: Facts) -> Iterator[Diagnostic]:
    marks = (facts.nodes(Parameter), facts.nodes(Network), facts.nodes(Break))
    if node.start > min(nodes[0].start for nodes in marks if nodes) or _says(facts.root):
        return
    if any(given.rest is not None for given in facts.parameters):
        return  # there is text, in the wrong place
    yield Diagnostic(
        CODE,
        NAME,
        "warning",
        "this prompt has no text",
        Span(node.start, node.end),
        "nothing here reaches an encoder as text",
        help="say what the picture shows, before the parameters",
    )


def _says(root: Root) -> bool:
    stack: list[Node] = list(root.parts)
    while stack:
        node = stack.pop()
        if isinstance(node, Parameter | Comment | Mark):
            continue
        if isinstance(node, _SAID) or (isinstance(node, Text) and any(char.isalnum() for char in node.text)):
            return True
        if isinstance(node, Network):
            if node.kind.text == "embedding":
                return True
            continue
        stack.extend(getattr(node, "parts", ()))
    return False


VALID = (
    "a lighthouse --ar 4:5",
    "{subject} --ar 4:5",
    "__places__ --ar 4:5",
    "<embedding:ink> --ar 4:5",
    "",
    "# note\n",
)
INVALID = (Case("⟦--ar 4:5⟧"), Case("⟦<lora:ink:0.8>⟧, "))
