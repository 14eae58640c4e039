"""Syntax of another tool.

## What it does
Reports what another prompt language would act on, and this one reads as text: compel's `(a)1.3`, `a++` and
`.blend(…)`, Midjourney's `a::2`, NovelAI's `1.5::a::`, braces with commas, dynamicprompts' `${name}`, ComfyUI's
`embedding:name`, `AND_PERP` and its kin, `/* comments */`, and the tags of template engines (`{% … %}`, `{{ name }}`).

## Why is this bad
The marks are encoded as words, and what they were to do does not happen.

## Example
```
(oak desk)1.3, dream++, {red,blue} sky, on {{ paper }}
```

## Use instead
```
(oak desk:1.3), (dream:1.21), {red|blue} sky, on {paper}
```

Text that only looks like it is escaped: `\\(`, `\\:`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import BadBraces, Emphasis, Network, Raw, Root, Text

CODE, NAME, SEVERITY = "E1501", "foreign-syntax", "error"
NODES = (Root,)

_LIST = pattern(r"\{([^{}|:\"'=\n]+(?:,[^{}|:\"'=\n]+)+)\}")
_BLOCK = pattern(r"\{[%#].*[%#]\}", re.S)
_ENGINE = pattern(
    r"\{([ \t]+(?:[A-Za-z_][\w.]*)(?:\s*\|\s*\w[\w.()'\", ]*)*[ \t]+|[ \t]*['\"]{2}\.__.*|[#/^>&!][\w. ]+)\}", re.S
)
_NAME = pattern(r"[ \t]+([a-z][a-z0-9_]*)[ \t]+")
_PLUSES = pattern(r"(?<![\w+'-])([^\W\d_][\w'-]*)(\+{2,})(?![\w+])")
_LANGUAGES = frozenset({"c", "g", "notepad", "clang", "libstdc", "turbo-c", "visual-c"})
_AFTER = pattern(r"(\d+\.\d+(?![\w.:%])|[+]+(?![\w+])|-{2,}(?![\w-])|\.(?:blend|and|add|swap|attend|or)\s*\()")
_MULTI = pattern(r"(?<=[\w)\]])::[ \t]*(-?\d+(?:\.\d+)?)?(?=[\s,]|\Z)", re.ASCII)
_NOVEL = pattern(r"(?<![\w.:])(-?\d+(?:\.\d+)?)::([^:\n]+)::")

TAGS = {
    "random": "a choice is `{a|b}`",
    "wildcard": "a wildcard is `__name__`",
    "wc": "a wildcard is `__name__`",
    "alternate": "what changes at each step is `[a|b]`",
    "alt": "what changes at each step is `[a|b]`",
    "fromto": "a schedule is `[a:b:0.5]`",
    "embed": "an embedding is `<embedding:name>`",
    "emb": "an embedding is `<embedding:name>`",
    "setvar": "a placeholder is `{name}`, and its value is given when the prompt is used",
    "var": "a placeholder is `{name}`",
    "repeat": "write it as often as it is wanted",
    "comment": "a comment is a line that begins with `#`",
    "preset": "promptc has no presets",
    "segment": "promptc has no regions",
    "object": "promptc has no regions",
    "region": "promptc has no regions",
}
"""Tags that other tools write like networks, and what is written here."""

_Found = tuple[int, int, str, str, str | None]
"""Start and end in the text, message, help, replacement."""


def is_foreign(braces: str) -> bool:
    """Whether braces that cannot be read are another tool's."""
    return _LIST.fullmatch(braces) is not None or _BLOCK.fullmatch(braces) is not None


def is_variable(text: str, start: int) -> bool:
    """Whether a sign before a brace makes it another tool's variable: what is in it is not judged."""
    return start > 0 and text[start - 1] in "$%" and text[start - 2 : start - 1] != "\\"


def check(node: Root, facts: Facts) -> Iterator[Diagnostic]:
    text = facts.text
    for braces in facts.nodes(BadBraces):
        yield from _braces(braces, facts)
    for raw in facts.nodes(Raw):
        yield from _raw(raw)
    for network in facts.nodes(Network):
        if (way := TAGS.get(network.kind.text.lower())) is not None:
            tag = f"<{network.kind.text}:…>"
            yield _report(network.start, network.end, f"`{tag}` is another tool's tag", way, None)
    if "${" in text or "%{" in text:
        yield from _variables(facts)
    if facts.nodes(Emphasis) and (")" in text):
        yield from _weights(facts)
    taken = 0  # what one tool's syntax covers is no other's
    for mark, words, explain in _WORDS:
        if mark in text:
            for found in words.finditer(text):
                said = explain(found)
                if said is not None and (found.end() > taken or mark != "::") and _is_text(facts, said[0]):
                    taken = max(taken, found.end()) if mark == "::" else taken
                    yield _report(*said)


def _report(start: int, end: int, message: str, help: str, better: str | None) -> Diagnostic:
    span = Span(start, end)
    fixes = (Fix(f"write `{better}`", (Edit(span, better),)),) if better is not None else ()
    return Diagnostic(CODE, NAME, "error", message, span, "it is read as text here", help=help, fixes=fixes)


def _is_text(facts: Facts, offset: int) -> bool:
    """Whether a place is text of the prompt, and not of a parameter, a comment or a name."""
    if facts.root.parameters and offset >= facts.root.parameters[0].start:
        return False
    leaves = facts.nodes(Text)
    at = bisect_right(leaves, offset, key=lambda leaf: leaf.start) - 1
    return at >= 0 and offset < leaves[at].end


def _braces(node: BadBraces, facts: Facts) -> Iterator[Diagnostic]:
    text = facts.text[node.start : node.end]
    if _BLOCK.fullmatch(text):
        first = re.match(r"\{[%#].*?[%#]\}", text, re.S)
        end = node.start + (first.end() if first else len(text))
        yield _report(
            node.start,
            end,
            "this is a tag of a template engine",
            "a prompt has placeholders and choices, no statements",
            None,
        )
    elif (listed := _LIST.fullmatch(text)) is not None and node.reason in ("content", "name"):
        options = "|".join(part.strip() for part in listed[1].split(","))
        better = f"{{{options}}}"
        yield _report(
            node.start,
            node.end,
            "braces with commas are no choice",
            f"alternatives have bars between: `{better}`",
            better,
        )


def _raw(node: Raw) -> Iterator[Diagnostic]:
    inside = node.text[1:-1]
    found = _ENGINE.fullmatch(inside)
    if found is None:
        return
    name = _NAME.fullmatch(found[1])
    if name is not None:
        better = f"{{{name[1]}}}"
        yield _report(
            node.start,
            node.end,
            "double braces are literal text, not a variable",
            f"a placeholder is `{better}`",
            better,
        )
    else:
        way = "a placeholder is `{name}`; nothing is computed in a prompt"
        yield _report(node.start, node.end, "this is an expression of a template engine", way, None)


def _variables(facts: Facts) -> Iterator[Diagnostic]:
    text = facts.text
    for found in re.finditer(r"[$%]\{", text):
        at = found.start()
        if (at == 0 or text[at - 1] != "\\") and _is_text(facts, at):
            way = "a placeholder is `{name}`, without a sign before it; escape the brace for text"
            better = "{" if re.match(r"\$\{[a-z][a-z0-9_]*\}", text[at:]) else None
            yield _report(at, at + 2, f"`{found.group()}` is syntax of another tool", way, better)


def _weights(facts: Facts) -> Iterator[Diagnostic]:
    """compel's marks behind a round bracket: `(a)1.3`, `(a)++`, `(a, b).blend(1, 1)`."""
    text = facts.text
    for node in facts.nodes(Emphasis):
        if node.bracket != "(" or text[node.end - 1 : node.end] != ")":
            continue
        found = _AFTER.match(text, node.end)
        if found is None or not _is_text(facts, found.start()):
            continue
        mark = found[1]
        if mark.startswith("."):
            way = "promptc has no such operation; AND composes: `a :0.5 AND b :0.5`"
            yield _report(found.start(), found.end(), f"`{mark.rstrip('(')}` is compel's syntax", way, None)
            continue
        weight = mark if mark[0].isdigit() else f"{(1.1 if mark[0] == '+' else 0.9) ** len(mark):.4g}"
        body = text[node.start : node.end - 1]
        better = f"{body}:{weight})" if node.weight is None else None
        way = (
            f"a weight stands inside of the bracket: `{better}`" if better else "a weight stands inside of the bracket"
        )
        yield _report(node.start, found.end(), f"`{mark}` behind a bracket is compel's weight", way, better)


def _pluses(found: re.Match[str]) -> _Found | None:
    word, marks = found[1], found[2]
    if word.lower() in _LANGUAGES:
        return None
    better = f"({word}:{1.1 ** len(marks):.4g})"
    return found.start(), found.end(), f"`{word}{marks}` is compel's emphasis", f"write `{better}`", better


def _multi(found: re.Match[str]) -> _Found:
    way = "promptc weighs with brackets, as in (fox:1.2), and composes with AND"
    return found.start(), found.end(), f"`{found.group().strip()}` is Midjourney's weight", way, None


def _novel(found: re.Match[str]) -> _Found:
    better = f"({found[2].strip()}:{found[1]})"
    return found.start(), found.end(), "this is NovelAI's emphasis", f"write `{better}`", better


def _embedding(found: re.Match[str]) -> _Found:
    better = f"<embedding:{found[1]}>"
    return found.start(), found.end(), "this is ComfyUI's embedding", f"write `{better}`", better


def _composition(found: re.Match[str]) -> _Found:
    return (
        found.start(),
        found.end(),
        f"`{found.group()}` is an extension of another tool",
        "promptc composes with AND",
        "AND",
    )


def _comment(found: re.Match[str]) -> _Found:
    way = "a comment is a line that begins with `#`"
    return found.start(), found.end(), "this comment is another tool's", way, None


def _with_lora(found: re.Match[str]) -> _Found:
    weight = (found[2] or "1").strip()
    better = f"<lora:{found[1].strip()}:{weight}>"
    return found.start(), found.end(), "this is compel's network", f"write `{better}`", better


_WORDS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], _Found | None]], ...] = (
    ("++", _PLUSES, _pluses),
    ("::", _NOVEL, _novel),
    ("::", _MULTI, _multi),
    ("embedding:", pattern(r"(?<![\w<:])embedding:([\w.-]*\w)"), _embedding),
    ("AND_", pattern(r"\bAND_(?:PERP|SALT|TOPK|ALIGN\w*)\b"), _composition),
    ("/*", pattern(r"/\*.*?\*/", re.S), _comment),
    ("Lora(", pattern(r"\b(?:with|use)Lora\(([^,()]+)(?:,([^()]*))?\)"), _with_lora),
)


VALID = (
    "C++ and g++ books, f/1.8, :3 >_< 12:30 16:9 #ff0000",
    'a board reading "$10 soup" {x|y}',
    "std::vector, 50% off",
    "use {{anything}} here",
    'reply as {{"subject": "{name}"}}',
    "{3::red|blue} sky --sref a.png::2",
    "(cat)2 and (dog) 1.5 metres",
    "a https://x.example/a/*b",
)
INVALID = (
    Case("⟦(masterpiece)1.3⟧, oak", fixed="(masterpiece:1.3), oak"),
    Case("⟦(deep shade)++⟧, oak", fixed="(deep shade:1.21), oak"),
    Case("stone bridge,⟦dream++⟧ mood", fixed="stone bridge,(dream:1.21) mood"),
    Case('("heron","otter")⟦.blend(⟧1,1) painting'),
    Case("fox⟦::2⟧ hare"),
    Case("⟦1.5::golden fog::⟧ sea", fixed="(golden fog:1.5) sea"),
    Case("a ⟦{red,blue}⟧ sky", fixed="a {red|blue} sky"),
    Case("⟦${⟧mood} scene", fixed="{mood} scene"),
    Case("⟦{% macro m() %}⟧ fox"),
    Case("print on ⟦{{ paper }}⟧ stock", fixed="print on {paper} stock"),
    Case("⟦{{ ''.__class__.__mro__ }}⟧"),
    Case("a fox, ⟦embedding:badq⟧", fixed="a fox, <embedding:badq>"),
    Case("a ⟦<random:red,blue>⟧ fox"),
    Case("⟦%{⟧a$$b} fox"),
    Case("⟦${⟧mood=calm} sky"),
    Case("a fox ⟦AND_PERP⟧ a hare", fixed="a fox AND a hare"),
    Case("a fox ⟦/* draft */⟧ in snow"),
    Case("fox ⟦withLora(soft light.v2,0.7)⟧", fixed="fox <lora:soft light.v2:0.7>"),
)
