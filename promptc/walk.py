"""Walks over a tree, without recursion: a tree may be as deep as a prompt's brackets."""

from collections.abc import Iterator
from typing import cast

from promptc.tree import Leaf, Node, Root


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes under it, each before its parts, in source order."""
    pending: list[Node] = [node]
    while pending:
        item = pending.pop()
        yield item
        parts: tuple[Node, ...] | None = getattr(item, "parts", None)
        if parts:
            pending.extend(reversed(parts))


def leaves(node: Node) -> Iterator[Leaf]:
    """The leaves under a node, in source order. Together they are its text."""
    pending: list[Node] = [node]
    while pending:
        item = pending.pop()
        parts: tuple[Node, ...] | None = getattr(item, "parts", None)
        if parts is None:
            yield cast(Leaf, item)
        else:
            pending.extend(reversed(parts))


def print_tree(root: Root) -> str:
    """The text that a tree was parsed from; of a bound tree, the text with its values as they are."""
    return "".join([leaf.text for leaf in leaves(root)])
