"""A word that is nearly a keyword.

## What it does
Warns of a misspelt `BREAK` or `AND` in capitals, and of `AND` inside of brackets, where it is a word of the text.

## Why is this bad
Keywords are whole words in capitals, and they are not encoded. A misspelt one is.

## Example
```
a fox BRAKE snow
```

## Use instead
```
a fox BREAK snow
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Alternation, Choice, Emphasis, Option, Root, Schedule, Text

CODE, NAME, SEVERITY = "W1005", "keyword", "warning"
NODES = (Root,)

_ALIKE = {
    **dict.fromkeys(
        ("BRAKE", "BRAEK", "BERAK", "BREKA", "BREK", "BREAKE", "BREEAK", "BRREAK", "RBEAK", "BREAKK"), "BREAK"
    ),
    **dict.fromkeys(("ADN", "NAD", "ANDD", "AAND", "ANND"), "AND"),
}
_WORD = pattern(r"(?<![\w\"'-])(?:" + "|".join(_ALIKE) + r"|AND)(?![\w\"'-])")
_INSIDE = (Emphasis, Schedule, Alternation, Choice, Option)


def check(node: Root, facts: Facts) -> Iterator[Diagnostic]:
    if any(word in facts.text for word in _ALIKE) or ("AND" in facts.text and _WORD.search(facts.text)):
        for text in facts.nodes(Text):
            yield from _words(text, facts)


def _words(node: Text, facts: Facts) -> Iterator[Diagnostic]:
    for found in _WORD.finditer(node.text):
        word = found.group()
        span = Span(node.start + found.start(), node.start + found.end())
        if word != "AND":
            # A sign may say anything: a line that is all in capitals is no keyword.
            if not _stands_out(facts.text, span):
                continue
            meant = _ALIKE[word]
            fix = Fix(f"write {meant}", (Edit(span, meant),))
            yield Diagnostic(
                CODE,
                NAME,
                "warning",
                f"`{word}` is no keyword",
                span,
                "it is read as text",
                help=f"did you mean `{meant}`?",
                fixes=(fix,),
            )
        elif any(facts.inside(node, kind) is not None for kind in _INSIDE) and _stands_out(facts.text, span):
            yield Diagnostic(
                CODE,
                NAME,
                "warning",
                "`AND` inside of brackets is a word of the text",
                span,
                "it composes at the top level only",
                help="close the bracket before it, or write `and`",
            )


def _stands_out(text: str, span: Span) -> bool:
    # The words beside it; a slice, so that many keywords in a long text cost no more than their number.
    before, after = text[max(span.start - 80, 0) : span.start].split()[-1:], text[span.end : span.end + 80].split()[:1]
    words = (*before, *after)
    return bool(words) and all(not word.isupper() for word in words)


VALID = (
    "a fox BREAK snow",
    "a fox AND a hare",
    "a sign that says BRAKE HERE",
    'a sign reading "BRAKE"',
    "ROCK AND ROLL",
    "(rock and roll)",
)
INVALID = (
    Case("soft sky ⟦BRAKE⟧ sea", fixed="soft sky BREAK sea"),
    Case("a fox ⟦ADN⟧ a hare", fixed="a fox AND a hare"),
    Case("(a fox ⟦AND⟧ a hare:1.2)"),
)
