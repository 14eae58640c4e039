"""The tree of a prompt: frozen nodes with spans, and no behaviour.

The tree is lossless. A *leaf* holds the characters it stands for in `text`; an inner node holds every child in source
order in `parts` (marks, blanks and mistakes included), and names the ones that mean something in further fields. So
the text is the concatenation of the leaves, and no pass needs to look at the source again.

Spans are code-point offsets into the prompt's text, half-open. After `bind`, a Value stands in the place of its
Placeholder and keeps the placeholder's span; its text is data and is never parsed.
"""

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Characters that mean themselves."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Punctuation that carries structure: a bracket, a bar, a colon, `AND`, `--`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Escape:
    """A backslash and the character it protects; `value` is that character."""

    start: int
    end: int
    text: str
    value: str


@dataclass(frozen=True, slots=True)
class Raw:
    """`{{anything}}`: `value` is `{anything}`, never interpolated."""

    start: int
    end: int
    text: str
    value: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment line with its line end: it reaches no encoder."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Stray:
    """A bracket or brace without a partner, kept as text so that the rest can be read.

    `opened` is the offset of the bracket it crosses or closes wrongly, where there is one. `reason` is one of
    `unclosed`, `unopened`, `crossed`, `deep`.
    """

    start: int
    end: int
    text: str
    reason: Literal["unclosed", "unopened", "crossed", "deep"]
    opened: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A written number (a weight, a switch, a count). `value` is None where the text is no number that counts."""

    start: int
    end: int
    text: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Value:
    """A bound placeholder: `text` is data."""

    start: int
    end: int
    text: str
    name: str
    value: object


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`{name}`, `{name: type}`, `{name: type = default}`, `{name = default}`.

    `name`, `annotation` and `default` are the leaves as written, blanks around them left out.
    """

    start: int
    end: int
    parts: "tuple[Node, ...]"
    name: Text
    annotation: Text | None
    default: Text | None


@dataclass(frozen=True, slots=True)
class BadBraces:
    """Braces that are no placeholder, choice or raw text: `{}`, `{1}`, `{"a": 1}`, `{user.name}`. Reads as text."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    reason: Literal["empty", "name", "content", "deep"]


@dataclass(frozen=True, slots=True)
class Option:
    """One alternative of a choice, with its weight (`3::`) where written."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    weight: Number | None
    body: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """`{a|b}`, `{3::a|b}`, `{2$$a|b|c}`, `{1-2$$ and $$a|b|c}`.

    `low` and `high` are None where no count is written (one alternative); `separator` is None where none is (`, `).
    """

    start: int
    end: int
    parts: "tuple[Node, ...]"
    options: tuple[Option, ...]
    low: Number | None
    high: Number | None
    separator: Text | None


@dataclass(frozen=True, slots=True)
class Wildcard:
    """`__colors/warm__`: one entry of a wildcard file. `name` has no underscores around it."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    name: Text


@dataclass(frozen=True, slots=True)
class Emphasis:
    """`(x)`, `(x:1.3)` and `[x]`. `weight` is None where none is written (x 1.1 for round, / 1.1 for square)."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    body: "tuple[Node, ...]"
    bracket: Literal["(", "["]
    weight: "Number | Placeholder | Value | None"


@dataclass(frozen=True, slots=True)
class Schedule:
    """`[from:to:when]`, `[to:when]`, `[from::when]`. Absent sides are empty."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    before: "tuple[Node, ...]"
    after: "tuple[Node, ...]"
    when: "Number | Placeholder | Value"


@dataclass(frozen=True, slots=True)
class Alternation:
    """`[a|b]`: changes at each step."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    options: "tuple[tuple[Node, ...], ...]"


@dataclass(frozen=True, slots=True)
class Break:
    """`BREAK`: ends a 75-token chunk."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a network: `0.8`, `te=0.5`. `key` is None for a bare number."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    key: Text | None
    value: "Number | Placeholder | Value | Text"


@dataclass(frozen=True, slots=True)
class Network:
    """`<lora:name:0.8>`; an embedding is a network of kind `embedding`. `name` may hold placeholders."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    kind: Text
    name: "tuple[Node, ...]"
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """One text of a composition (`a :1.2 AND b`); a prompt without `AND` has one branch and no weight."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    body: "tuple[Node, ...]"
    weight: "Number | Placeholder | Value | None"


@dataclass(frozen=True, slots=True)
class Parameter:
    """`--name value`. `dash` is `--`, or the character an editor made of it. `value` holds text and placeholders."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    dash: Mark
    name: Text
    value: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Root:
    """A whole prompt."""

    start: int
    end: int
    parts: "tuple[Node, ...]"
    branches: tuple[Branch, ...]
    parameters: tuple[Parameter, ...]


Leaf: TypeAlias = Text | Mark | Escape | Raw | Comment | Stray | Number | Value | Break
Inner: TypeAlias = (
    Placeholder
    | BadBraces
    | Option
    | Choice
    | Wildcard
    | Emphasis
    | Schedule
    | Alternation
    | Argument
    | Network
    | Branch
    | Parameter
    | Root
)
Node: TypeAlias = Leaf | Inner
