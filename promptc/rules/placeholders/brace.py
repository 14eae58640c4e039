"""A brace without a partner, or braces that hold nothing a prompt knows.

## What it does
Reports a `{` that is never closed (at the `{`), a `}` that closes nothing, a pair that crosses another bracket,
braces nested too deep, literal braces within literal braces, empty braces, and braces whose content is no placeholder, no choice and no literal text.

## Why is this bad
Braces carry a prompt's holes and choices. Read as text, a broken pair sends its characters to the encoder, and the
value that should stand there is missing.

## Example
```
portrait of {subject, soft light
reply as {"mood": "calm"}
by {user.name}
```

## Use instead
```
portrait of {subject}, soft light
reply as {{"mood": "calm"}}
by {user_name}
```

A placeholder is a name, and nothing is looked up inside its value: no attribute, index, call or format. Braces that
should be read as text are doubled (`{{…}}`), and a single one is escaped (`\\{`).
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from promptc.context import snake_case
from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.dialects.foreign_syntax import is_foreign, is_variable
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import BadBraces, Raw, Stray

CODE, NAME, SEVERITY = "E0921", "brace", "error"
NODES = (Stray, BadBraces, Raw)

_PATH = pattern(r"\{\s*([A-Za-z_]\w*)((?:\.\w+|\[[^\]]*\]|\([^)]*\)|![rsa])+)\s*(?:[:=][^{}]*)?\}")
_NUMBER = pattern(r"\{\s*\d+\s*(?:[:=][^{}]*)?\}")


def check(node: Stray | BadBraces | Raw, facts: Facts) -> Iterator[Diagnostic]:
    if isinstance(node, BadBraces):
        yield from _content(node, facts)
    elif isinstance(node, Raw):
        yield from _nested(node, facts)
    elif node.text[0] in "{}" and not _left_over(node, facts):
        yield from _stray(node, facts)


def _nested(node: Raw, facts: Facts) -> Iterator[Diagnostic]:
    """Doubled braces within doubled braces: the outer ones end where the inner ones should."""
    at = _inner(node)
    if at < 0:
        return
    after = bisect_left(facts.nodes(Stray), node.end, key=lambda stray: stray.start)
    left = any(_left_over(stray, facts) for stray in facts.nodes(Stray)[after : after + 1])
    yield Diagnostic(
        CODE,
        NAME,
        "error" if left else "warning",
        "literal braces do not nest",
        Span(node.start + at, node.start + at + 2),
        "the braces around it end at the first `}}`",
        (Label(Span(node.end - 2, node.end), "here they end"),),
        help="write inner braces once, as in `{{a {b} c}}`",
    )


def _inner(node: Raw) -> int:
    return node.text.find("{{", 2, len(node.text) - 2)


def _left_over(node: Stray, facts: Facts) -> bool:
    """Whether a brace closes nothing because literal braces before it were nested: that is one mistake."""
    raws = facts.nodes(Raw)
    before = bisect_left(raws, node.start, key=lambda raw: raw.start)
    return node.text == "}" and node.reason == "unopened" and before > 0 and _inner(raws[before - 1]) >= 0


def _stray(node: Stray, facts: Facts) -> Iterator[Diagnostic]:
    span = Span(node.start, node.end)
    text = node.text  # `{{` where literal braces are not closed
    itself = "".join(f"\\{brace}" for brace in text)
    escape: tuple[Fix, ...] = (
        Fix(
            f"write {itself} for the brace itself",
            tuple(Edit(Span(at, at), "\\") for at in range(node.start, node.end)),
        ),
    )
    labels: tuple[Label, ...] = ()
    if node.opened is not None:
        bracket = facts.text[node.opened]
        labels = (Label(Span(node.opened, node.opened + 1), f"this `{bracket}` is still open"),)
    match node.reason:
        case "unclosed":
            closer = "}" * len(text)
            message, label = f"this `{text}` is not closed", f"no `{closer}` follows that belongs to it"
            way = f"close it with `{closer}`, or write `{itself}` for the brace itself"
        case "unopened":
            message, label = "this `}` closes nothing", "no `{` stands before it"
            way = "remove it, or write `\\}` for the brace itself"
        case "crossed":
            message, label = (
                f"this `{node.text}` crosses another bracket",
                "it stands between a bracket and its partner",
            )
            way = "close the brackets in the reverse order of their opening"
        case "deep":
            message, label = "brackets are nested too deep here", "what stands in it is read as text"
            way = "take the inner ones apart, or give them a name with a placeholder"
            escape = ()
    yield Diagnostic(CODE, NAME, "error", message, span, label, labels, help=way, fixes=escape)


def _content(node: BadBraces, facts: Facts) -> Iterator[Diagnostic]:
    span = Span(node.start, node.end)
    text = facts.text[node.start : node.end]
    if is_variable(facts.text, node.start) or facts.inside(node, BadBraces) is not None:
        return  # one mistake: the sign before it, or the braces around it
    if node.reason == "empty":
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            "these braces are empty",
            span,
            "a placeholder needs a name",
            help="name it, as in `{subject}`, or write `{{}}` for the braces themselves",
            fixes=(_double(node, text),),
        )
    elif node.reason == "deep":
        yield Diagnostic(
            CODE,
            NAME,
            "error",
            "braces are nested deeper than 3",
            span,
            "these are one level too many",
            help="put the inner choice into a wildcard file, or make it a placeholder",
        )
    elif is_lookup(text) or (node.reason == "content" and not is_foreign(text)):
        yield _other(node, text, span)


def is_lookup(braces: str) -> bool:
    """Whether braces hold a look-up inside a value, or a position, where a name should stand."""
    return _PATH.fullmatch(braces) is not None or _NUMBER.fullmatch(braces) is not None


def _other(node: BadBraces, text: str, span: Span) -> Diagnostic:
    path = _PATH.fullmatch(text)
    if path is not None:
        name = snake_case(re.sub(r"\W+", "_", path[1] + path[2])) or path[1]
        return Diagnostic(
            CODE,
            NAME,
            "error",
            f"a placeholder is a name, without `{path[2]}`",
            span,
            "nothing is looked up inside a value",
            help=f"make it a placeholder of its own, as in `{{{name}}}`",
            fixes=(Fix(f"write `{{{name}}}`", (Edit(span, f"{{{name}}}"),)),),
        )
    if _NUMBER.fullmatch(text):
        label, way = "a name begins with a letter", "name it, as in `{subject}`; positions are not counted"
    else:
        label = "this is no placeholder, no choice and no literal text"
        way = "write `{{…}}` for the braces themselves"
    return Diagnostic(
        CODE, NAME, "error", "these braces cannot be read", span, label, help=way, fixes=(_double(node, text),)
    )


def _double(node: BadBraces, text: str) -> Fix:
    """Literal braces: doubled, or each escaped where an end would fall inside."""
    if "}}" in text:
        braces = [node.start + at for at, char in enumerate(text) if char in "{}" and text[at - 1 : at] != "\\"]
        return Fix("escape the braces", tuple(Edit(Span(at, at), "\\") for at in braces))
    last = Span(node.end - 1, node.end - 1)
    return Fix(f"write `{{{text}}}` for literal braces", (Edit(Span(node.start, node.start), "{"), Edit(last, "}")))


VALID = (
    "portrait of {subject}",
    "a {red|blue} fox",
    "use {{}} for sets",
    'reply as {{"subject": "{name}"}}',
    "{{a {b} c}}, {{{name}}}",
    "a \\{ in a text",
    "{red|{dark|light} blue}",
)
INVALID = (
    Case("portrait of ⟦{⟧subject, soft light", fixed="portrait of \\{subject, soft light"),
    Case("a red⟦}⟧ fox", fixed="a red\\} fox"),
    Case("use ⟦{}⟧ for sets", fixed="use {{}} for sets"),
    Case('reply as ⟦{"subject": "fox"}⟧', fixed='reply as {{"subject": "fox"}}'),
    Case('layout ⟦{"cols": 2}⟧', fixed='layout {{"cols": 2}}'),
    Case('reply as ⟦{"a": {"b": 1}}⟧', fixed='reply as \\{"a": \\{"b": 1\\}\\}'),
    Case('reply as ⟦{"a": [{"b": 1}]}⟧'),
    Case("hello ⟦{u.name}⟧", fixed="hello {u_name}"),
    Case("hello ⟦{users[0]}⟧", fixed="hello {users_0}"),
    Case("number ⟦{0}⟧"),
    Case("{{a ⟦{{⟧b}} c}}"),
    Case("{{a ⟦{{⟧b}} c"),
    Case("{a|{b|{c|⟦{d|e}⟧}}}"),
)
