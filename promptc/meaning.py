"""What a text encoder is told: text and weights, for each step, branch and `BREAK` part.

Blanks. Text is told as it is written, except what a construct leaves that is not told itself:

- blanks at the two ends of a prompt, and around its parameters, are no text; neither are those around `BREAK`,
  and those before the weight of a branch;
- a network that stands at the start of the text or after a blank takes the blanks after it along;
- a comment takes its line end along.

Switch points are counted as the web UI counts them: an integer is the last step of the first text, a number with a dot
is a fraction of all steps, cut down to a whole step. `[a|b]` is its option number (step - 1) mod n.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from promptc import tree
from promptc.source import Span
from promptc.terms import bodies, factor, number, plain, switch, walk, written

Spans: TypeAlias = tuple[tuple[str, float], ...]
"""Pieces of text, each with its weight; neighbours differ in weight."""

_BLANKS = re.compile(r"[ \t\r\n]+")


@dataclass(frozen=True, slots=True)
class Segment:
    """What one branch is, up to and including step `last`.

    `parts` are what is encoded, one for each part between `BREAK`s. `text` is for people: as written, without
    networks and comments, with schedules and alternations resolved and emphasis still in its spelling.
    """

    last: int
    text: str
    parts: tuple[Spans, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """One text of a composition. The segments rise, and the last one ends at the last step."""

    text: str
    weight: float
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Network:
    """A network and its weights. `active` are the steps it acts in, as inclusive ranges counted from 1."""

    kind: str
    name: str
    te: float
    unet: float
    active: tuple[tuple[int, int], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter by the name and value that are written, bound values in place."""

    name: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a prompt means in a run of `steps` steps."""

    steps: int
    branches: tuple[Branch, ...]
    networks: tuple[Network, ...]
    parameters: tuple[Parameter, ...]


class Unresolved(ValueError):
    """A choice or wildcard was not resolved (`promptc.choose`) before its meaning was asked for."""

    def __init__(self, node: "tree.Choice | tree.Wildcard") -> None:
        what = "wildcard" if isinstance(node, tree.Wildcard) else "choice"
        super().__init__(f"the {what} at {node.start} is not resolved")
        self.span = Span(node.start, node.end)


def meaning(root: tree.Root, steps: int, *, strict: bool = True) -> Meaning:
    """What a prompt means in a run of `steps` steps (1 or more).

    Raises Unresolved where a choice or wildcard is left; where not `strict`, that is told as it is written.

    A placeholder without a value is told as `{name}`; as a number it counts as its default, else as 1 (a weight) or
    the end of the run (a switch point). Time is the number of nodes times the number of different segments.
    """
    if steps < 1:
        raise ValueError(f"a run has at least one step, not {steps}")
    networks: dict[int, list[tuple[int, int]]] = {}
    told = bodies(root)
    branches = tuple(
        Branch(written(body), number(branch.weight, 1.0), _segments(body, steps, networks, strict))
        for branch, body in zip(root.branches, told, strict=True)
    )
    found = [node for body in told for node in walk(body) if isinstance(node, tree.Network)]
    parameters = tuple(
        Parameter(one.name.text, plain(one.value).strip(), Span(one.start, one.end)) for one in root.parameters
    )
    return Meaning(steps, branches, tuple(_network(node, networks.get(id(node), [])) for node in found), parameters)


# Segments


def _segments(
    body: tuple["tree.Node", ...], steps: int, networks: dict[int, list[tuple[int, int]]], strict: bool
) -> tuple[Segment, ...]:
    found: list[Segment] = []
    keys: list[object] = []
    first = 1
    for last in _lasts(body, steps):
        told = _Told(last, steps, strict)
        told.nodes(body, 1.0)
        for node in told.networks:
            _extend(networks.setdefault(id(node), []), first, last)
        parts = told.parts()
        key = [_key(part) for part in parts]
        if keys and keys[-1] == key:  # the encoder would not know them apart
            found[-1] = Segment(last, found[-1].text, found[-1].parts)
        else:
            found.append(Segment(last, "".join(told.written), parts))
            keys.append(key)
        first = last + 1
    return tuple(found)


def _lasts(body: tuple["tree.Node", ...], steps: int) -> list[int]:
    """The steps after which something may change, and the last one."""
    found = {steps}
    for node in walk(body):
        if isinstance(node, tree.Schedule):
            found.add(switch(node, steps))
        elif isinstance(node, tree.Alternation) and len(node.options) > 1:
            return list(range(1, steps + 1))
    return sorted(found - {0})


def _extend(ranges: list[tuple[int, int]], first: int, last: int) -> None:
    if ranges and ranges[-1][1] + 1 == first:
        ranges[-1] = (ranges[-1][0], last)
    elif not ranges or ranges[-1][1] < first:
        ranges.append((first, last))


def _key(part: Spans) -> tuple[tuple[str, float], ...]:
    """A part as an encoder tells it from others: runs of blanks are one, and at its ends none."""
    joined = [(_BLANKS.sub(" ", text), weight) for text, weight in part]
    return tuple(_trimmed(joined, start=True, end=True))


class _Told:
    """What is told at one step, as it is collected."""

    def __init__(self, step: int, steps: int, strict: bool) -> None:
        self.step, self.steps, self.strict = step, steps, strict
        self.done: list[list[tuple[str, float]]] = [[]]
        self.written: list[str] = []
        self.networks: list[tree.Network] = []
        self.swallow = False
        """Whether blanks that follow belong to a network that is not told itself."""

    def parts(self) -> tuple[Spans, ...]:
        last = len(self.done) - 1
        return tuple(tuple(_trimmed(spans, start=at > 0, end=at < last)) for at, spans in enumerate(self.done))

    def text(self, text: str, weight: float, spelling: str = "") -> None:
        if self.swallow:
            text, spelling = text.lstrip(), spelling.lstrip()
        if not text:
            return
        self.swallow = False
        spans = self.done[-1]
        if spans and spans[-1][1] == weight:
            spans[-1] = (spans[-1][0] + text, weight)
        else:
            spans.append((text, weight))
        self.written.append(spelling or text)

    def nodes(self, nodes: Iterable["tree.Node"], weight: float) -> None:
        for node in nodes:
            match node:
                case tree.Comment():
                    pass
                case tree.Escape() | tree.Raw():
                    self.text(node.value, weight, node.text)
                case tree.Break():
                    self.done.append([])
                    self.written.append(node.text)
                case tree.Emphasis():
                    self.emphasis(node, weight * factor(node))
                case tree.Schedule():
                    early = self.step <= switch(node, self.steps)
                    self.nodes(node.before if early else node.after, weight)
                case tree.Alternation():
                    self.nodes(node.options[(self.step - 1) % len(node.options)] if node.options else (), weight)
                case tree.Network():
                    self.network(node, weight)
                case tree.Choice() | tree.Wildcard() if self.strict:
                    raise Unresolved(node)
                case _:
                    self.text(plain((node,)), weight)

    def emphasis(self, node: tree.Emphasis, weight: float) -> None:
        inside = {id(each) for each in node.body}
        for part in node.parts:
            if id(part) in inside:
                self.nodes((part,), weight)
            else:
                self.written.append(plain((part,)))

    def network(self, node: tree.Network, weight: float) -> None:
        self.networks.append(node)
        if node.kind.text == "embedding":
            # An embedding is words that a model has learnt: it is told by its name, where it stands.
            self.text(plain(node.name), weight, written((node,)))
        else:
            spans = self.done[-1]
            self.swallow = not spans or spans[-1][0][-1].isspace()


def _trimmed(spans: Iterable[tuple[str, float]], *, start: bool, end: bool) -> list[tuple[str, float]]:
    """Spans without the blanks at their two ends."""
    found = list(spans)
    while start and found:
        found[0] = (found[0][0].lstrip(), found[0][1])
        if found[0][0]:
            break
        del found[0]
    while end and found:
        found[-1] = (found[-1][0].rstrip(), found[-1][1])
        if found[-1][0]:
            break
        del found[-1]
    return found


# Networks


def _network(node: tree.Network, active: list[tuple[int, int]]) -> Network:
    bare = [number(_weight(one), 1.0) for one in node.arguments if one.key is None]
    keyed = {one.key.text: number(_weight(one), 1.0) for one in node.arguments if one.key is not None}
    te = keyed.get("te", bare[0] if bare else 1.0)
    unet = keyed.get("unet", bare[1] if len(bare) > 1 else te)
    return Network(node.kind.text, plain(node.name), te, unet, tuple(active), Span(node.start, node.end))


def _weight(argument: tree.Argument) -> "tree.Number | tree.Placeholder | tree.Value | None":
    return None if isinstance(argument.value, tree.Text) else argument.value
