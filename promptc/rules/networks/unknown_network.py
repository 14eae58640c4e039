"""A network or an embedding that the project does not have.

## What it does
Where the project declares its networks or embeddings, reports one that is not among them and offers the nearest. A
name that points outside of the models' folder (`..`, a drive, a leading slash) is reported always.

## Why is this bad
A network that is missing does nothing: the picture is made without it. A name with `..` could reach any file.

## Example
```
<lora:lanscape_ink:0.8>, <lora:../../private/x:1>
```

## Use instead
```
<lora:landscape_ink:0.8>, <lora:private/x:1>
```
"""

import re
from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.dialects.foreign_syntax import TAGS
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.suggest import nearest
from promptc.tree import Network, Placeholder, Value

CODE, NAME, SEVERITY = "E1201", "unknown-network", "error"
NODES = (Network,)

KINDS = ("lora", "lyco", "lycoris", "hypernet", "embedding")
_OUTSIDE = pattern(r"(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\~]|^[A-Za-z]:[/\\]|\\")
_SUFFIX = pattern(r"\.(?:safetensors|ckpt|pt|bin)\Z", re.I)


def check(node: Network, facts: Facts) -> Iterator[Diagnostic]:
    kind = node.kind.text.strip().lower()
    if kind in TAGS:
        return
    if kind not in KINDS:
        close = nearest(kind, KINDS)
        span = Span(node.kind.start, node.kind.end)
        fixes = (Fix(f"write `{close}`", (Edit(span, close),)),) if close else ()
        way = f"did you mean `{close}`?" if close else f"known are {', '.join(KINDS)}; escape `\\<` for text"
        yield Diagnostic(CODE, NAME, "error", f"there is no kind of network `{kind}`", span, help=way, fixes=fixes)
        return
    if not node.name or any(isinstance(part, Placeholder | Value) for part in node.name):
        return
    span = Span(node.name[0].start, node.name[-1].end)
    name = facts.text[span.start : span.end].strip()
    if not name:
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            "the network has no name",
            Span(node.start, node.end),
            help="write it as in <lora:ink:0.8>",
        )
    elif _OUTSIDE.search(name):
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            f"`{name}` points outside of the models' folder",
            span,
            "a name stays below its folder",
            help="name the network as it lies in the folder, with `/` between folders",
        )
    else:
        yield from _declared(kind, _SUFFIX.sub("", name), span, facts)


def _declared(kind: str, name: str, span: Span, facts: Facts) -> Iterator[Diagnostic]:
    declared = facts.settings.embeddings if kind == "embedding" else facts.settings.networks
    if declared is None:
        return
    short = {known.rpartition("/")[2] for known in declared}
    if name in declared or name in short:
        return
    close = nearest(name, [*declared, *short])
    word = "embedding" if kind == "embedding" else "network"
    way = f"did you mean `{close}`?" if close else f"the project declares {_list(declared)}"
    fixes = (Fix(f"write `{close}`", (Edit(span, close),)),) if close else ()
    yield Diagnostic(
        CODE,
        NAME,
        "error",
        f"there is no {word} `{name}`",
        span,
        "the project does not have it",
        help=way,
        fixes=fixes,
    )


def _list(names: tuple[str, ...]) -> str:
    if not names:
        return "none"
    shown = ", ".join(sorted(names)[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


VALID = (
    "<lora:anything:0.8> fox",
    Case("<lora:ink:0.8> fox", settings={"networks": ("ink", "styles/wash")}),
    Case("<lora:wash:0.8> fox", settings={"networks": ("ink", "styles/wash")}),
    Case("<lora:ink.safetensors:0.8> fox", settings={"networks": ("ink",)}),
    Case("<lora:{style}:0.8> fox", settings={"networks": ("ink",)}),
    "<lora:Night__Nurse:0.7>, {x|y}",
)
INVALID = (
    Case("<lora:⟦lanscape⟧:0.8> fox", settings={"networks": ("landscape",)}, fixed="<lora:landscape:0.8> fox"),
    Case("<embedding:⟦badq⟧> fox", settings={"embeddings": ()}),
    Case("<lora:⟦../../private/x⟧:1> fox"),
    Case("<lora:⟦/etc/x⟧:1> fox"),
)
