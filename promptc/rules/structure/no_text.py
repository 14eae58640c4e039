"""A prompt without text.

## What it does
Warns of a prompt that has parameters, networks or a comment, and nothing that reaches an encoder. A line that begins
with `#` is a comment as a whole; a color that begins a line is written `\\#ff8800`.

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
NODES = (Parameter, Network, Break, Comment)

_SAID = (Escape, Raw, Placeholder, Value, Wildcard, BadBraces, Stray, Choice)


def check(node: Parameter | Network | Break | Comment, facts: Facts) -> Iterator[Diagnostic]:
    marks = (facts.nodes(Parameter), facts.nodes(Network), facts.nodes(Break))
    firsts = [nodes[0].start for nodes in marks if nodes]
    # A comment for promptc itself is no text that was meant.
    firsts = firsts or [one.start for one in facts.nodes(Comment) if "promptc:" not in one.text]
    if node.start != min(firsts, default=None) or _says(facts.root):
        return
    if any(given.rest is not None for given in facts.parameters):
        return  # there is text, in the wrong place
    if isinstance(node, Comment):
        start = node.start + node.text.index("#")
        yield Diagnostic(
            CODE,
            NAME,
            "warning",
            "this prompt has no text, only a comment",
            Span(start, node.start + len(node.text.rstrip())),
            "a line that begins with `#` is a comment",
            help="say what the picture shows, or write `\\#` for the character itself",
        )
        return
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
    "# note\na lighthouse",
    "\\#ff8800 sky",
    Case("#ff8800 sky", comments=False),
)
INVALID = (
    Case("⟦--ar 4:5⟧"),
    Case("⟦<lora:ink:0.8>⟧, "),
    Case("# note\n⟦--ar 4:5⟧"),
    Case("⟦#ff8800 sky --ar 4:5⟧\n"),
)
