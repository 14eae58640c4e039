"""A parameter's value as one text, in which each placeholder is one character that no rule of writing splits."""

from collections.abc import Iterator

from promptc.source import Span
from promptc.tree import Comment, Escape, Node, Placeholder, Raw, Value


class Written:
    """A value as one text in which each hole is one character, with the prompt's offset of every character."""

    def __init__(self, nodes: tuple[Node, ...], end: int) -> None:
        chars: list[str] = []
        self.places: list[int] = []
        self.holes: dict[int, Placeholder | Value] = {}
        for node in _flat(nodes):
            if isinstance(node, Placeholder | Value):
                self.holes[len(self.places)] = node
                self.places.append(node.start)
                chars.append("\ufffc")
            elif isinstance(node, Comment):
                chars.append("\n")
                self.places.append(node.start)
            elif isinstance(node, Escape | Raw):
                chars.append(node.value)
                self.places.extend([node.start] * len(node.value))
            else:
                chars.append(node.text)  # type: ignore[union-attr]
                self.places.extend(range(node.start, node.end))
        self.text = "".join(chars)
        self.end = end

    def span(self, start: int, end: int) -> Span:
        if start >= len(self.places):
            return Span(self.end, self.end)
        last = self.holes.get(end - 1)
        return Span(
            self.places[start],
            last.end if last is not None else self.places[end - 1] + 1 if end > start else self.places[start],
        )

    def inside(self, start: int, end: int) -> list[Placeholder | Value]:
        return [node for at, node in self.holes.items() if start <= at < end]

    def whole(self, start: int, end: int) -> Placeholder | Value | None:
        """The hole that is all of a range."""
        return self.holes.get(start) if end == start + 1 else None

    def filled(self, start: int, end: int) -> str:
        """A range as text, with the bound values in it."""
        if not self.holes:
            return self.text[start:end]
        return "".join(
            getattr(self.holes[at], "text", "") if at in self.holes else self.text[at] for at in range(start, end)
        )


def _flat(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Leaves and placeholders: structure inside a value is text."""
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        parts = getattr(node, "parts", None)
        if parts is None or isinstance(node, Placeholder):
            yield node
        else:
            stack.extend(reversed(parts))
