"""All nodes of a tree by their class: one walk that many can use."""

from collections.abc import Mapping
from typing import TypeAlias

from promptc.tree import Inner, Node, Root

Kinds: TypeAlias = Mapping[type, list[Node]]
"""Nodes by class, those of a class in source order."""

_INNER = frozenset(Inner.__args__)


def kinds(root: Root) -> Kinds:
    """The nodes of a tree by their class."""
    found: dict[type, list[Node]] = {}
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        kind = type(node)
        group = found.get(kind)
        if group is None:
            found[kind] = [node]
        else:
            group.append(node)
        if kind in _INNER:
            stack.extend(node.parts[::-1])  # type: ignore[union-attr]
    return found
