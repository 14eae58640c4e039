"""A bracket without a partner.

## What it does
Reports `(`, `[` or `<` that is never closed, `)`, `]` or `>` that closes nothing, and brackets that cross. The place
is the bracket at fault, with the one it collides with beside it.

## Why is this bad
Tools read a broken bracket in different ways: as text, as emphasis up to the end of the prompt, or they drop what
follows. All of them do so without a word.

## Example
```
(red cube, blue ball
```

## Use instead
```
(red cube), blue ball
```

A bracket that should be read as text is escaped: `\\(`.
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Stray

CODE, NAME, SEVERITY = "E1001", "bracket", "error"
NODES = (Stray,)

PARTNER = {"(": ")", "[": "]", "<": ">", "{": "}", ")": "(", "]": "[", ">": "<", "}": "{"}


def check(node: Stray, facts: Facts) -> Iterator[Diagnostic]:
    text = node.text
    if text[0] in "{}":
        return
    span = Span(node.start, node.end)
    partner = PARTNER.get(text, "")
    fixes = [Fix(f"write \\{text} for the bracket itself", (Edit(Span(node.start, node.start), "\\"),))]
    labels: tuple[Label, ...] = ()
    if node.opened is not None:
        other = facts.text[node.opened]
        labels = (Label(Span(node.opened, node.opened + 1), f"this `{other}` is still open"),)
    way = f"close it with `{partner}`, or write `\\{text}` for the bracket itself"
    match node.reason:
        case "unclosed":
            message, label = f"this `{text}` is not closed", f"no `{partner}` follows that belongs to it"
        case "unopened":
            message, label = f"this `{text}` closes nothing", f"no `{partner}` stands before it"
            way = f"remove it, or write `\\{text}` for the bracket itself"
        case "crossed":
            message, label = f"this `{text}` crosses another bracket", "it stands between a bracket and its partner"
            way = "close brackets in the reverse order of their opening"
        case "deep":
            message, label = "brackets are nested deeper than 64", "from here on they are read as text"
            way = "write the weight as a number, as in (fog:1.3)"
            fixes = []
    face = node.reason in ("unclosed", "unopened") and is_face(facts.text, node.start)
    if face:
        message, fixes = f"the `{text}` of this face is a bracket", [Fix(fixes[0].message, fixes[0].edits, safe=True)]
    yield Diagnostic(
        CODE, NAME, "warning" if face else "error", message, span, label, labels, help=way, fixes=tuple(fixes)
    )


_FACE = pattern(r">?[:;=]['^o-]?[()\[\]]|[()\[\]]['^o-]?[:;=]<?")


def is_face(text: str, offset: int) -> bool:
    """Whether a bracket belongs to a face such as `:)`, which stands apart from words."""
    return any(
        found.start() <= offset < found.end()
        and not text[found.start() - 1 : found.start()].isalnum()
        and not text[found.end() : found.end() + 1].isalnum()
        for found in _FACE.finditer(text, max(0, offset - 3), offset + 4)
    )


VALID = ("(red cube), blue ball", "a \\( in a text", "[[[[moss]]]] and stone", "(a [b] c)")
INVALID = (
    Case("⟦(⟧red cube, blue ball", fixed="\\(red cube, blue ball"),
    Case("ink study ((tight crop)) of (sailor ), ((tall mast))⟦)⟧, dusk"),
    Case("a red⟦]⟧ fox", fixed="a red\\] fox"),
    Case("a fox ⟦[⟧in the snow"),
    Case("a fox --no ⟦(⟧haze, rain"),
    Case("a smile :⟦)⟧", fixed="a smile :\\)"),
    Case("a frown ;-⟦(⟧, rain", fixed="a frown ;-\\(, rain"),
)
