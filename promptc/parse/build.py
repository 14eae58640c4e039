"""The grammar's actions: each makes the node of a rule from its children. Lark calls them by the rules' names."""

from typing import Any

from promptc.parse.lexer import Token
from promptc.tree import (
    Alternation,
    Argument,
    BadBraces,
    Branch,
    Choice,
    Emphasis,
    Mark,
    Network,
    Node,
    Number,
    Option,
    Parameter,
    Placeholder,
    Root,
    Schedule,
    Text,
)

Children = list[Any]


def leaf(children: Children) -> list[Node]:
    """A list of nodes, longer by a terminal."""
    if len(children) == 1:
        return [children[0].value]
    nodes: list[Node] = children[0]
    nodes.append(children[1].value)
    return nodes


def group(children: Children) -> list[Node]:
    """A list of nodes, longer by a node."""
    if len(children) == 1:
        return children
    nodes: list[Node] = children[0]
    nodes.append(children[1])
    return nodes


def emphasis(children: Children) -> Emphasis:
    opened: Mark = children[0].value
    closed: Mark = children[-1].value
    inside: list[Node] = children[1] if type(children[1]) is list else []
    last: Token = children[-2]
    if type(last) is Token and len(children) > 2:
        parts, weight = (opened, *inside, *last.leaves, closed), last.value
    else:
        parts, weight = (opened, *inside, closed), None
    return Emphasis(opened.start, closed.end, parts, tuple(inside), opened.text, weight)  # type: ignore[arg-type]


def schedule(children: Children) -> Schedule:
    opened: Mark = children[0].value
    closed: Mark = children[-1].value
    when: Token = children[-2]
    parts: list[Node] = [opened]
    sides: list[tuple[Node, ...]] = [()]
    for child in children[1:-2]:
        if type(child) is list:
            sides[-1] = tuple(child)
            parts += child
        else:
            sides.append(())
            parts.append(child.value)
    parts += when.leaves
    parts.append(closed)
    before, after = sides if len(sides) == 2 else ((), sides[0])
    return Schedule(opened.start, closed.end, tuple(parts), before, after, when.value)


def alternation(children: Children) -> Alternation:
    opened, options, closed = children[0].value, children[1], children[2].value
    parts: list[Node] = [opened]
    for head, body in options:
        parts += head.leaves
        parts += body
    parts.append(closed)
    return Alternation(opened.start, closed.end, tuple(parts), tuple([tuple(body) for _, body in options]))


def choice(children: Children) -> Choice:
    opened: Token = children[0]
    closed: Mark = children[2].value
    parts: list[Node] = [*opened.leaves]
    made: list[Option] = []
    for head, body in children[1]:
        weight, leaves = head.value
        parts += head.leaves
        inside = [*leaves, *body]
        start = head.start
        node = Option(start, inside[-1].end if inside else start, tuple(inside), weight, tuple(body))
        made.append(node)
        parts.append(node)
    parts.append(closed)
    return Choice(opened.start, closed.end, tuple(parts), tuple(made), *opened.value)


def options(children: Children) -> list[tuple[Token, list[Node]]]:
    if len(children) == 1:
        return children
    made: list[tuple[Token, list[Node]]] = children[0]
    made.append(children[1])
    return made


def option(children: Children) -> tuple[Token, list[Node]]:
    return children[0], children[1] if len(children) == 2 else []


def braces(children: Children) -> BadBraces:
    opened: Token = children[0]
    closed: Mark = children[-1].value
    inside = children[1] if len(children) == 3 else []
    return BadBraces(opened.start, closed.end, (opened.leaves, *inside, closed), opened.value)


def network(children: Children) -> Network:
    opened: Token = children[0]
    closed: Mark = children[-1].value
    name: tuple[Node, ...] = ()
    arguments: tuple[Argument, ...] = ()
    parts: list[Node] = [*opened.leaves]
    for child in children[1:-1]:
        if type(child[0]) is tuple:
            arguments = tuple([node for _, node in child])
            for colon, node in child:
                parts += (colon, node)
        else:
            name = tuple(child)
            parts += child
    parts.append(closed)
    return Network(opened.start, closed.end, tuple(parts), opened.value, name, arguments)


def arguments(children: Children) -> list[tuple[Mark, Argument]]:
    if len(children) == 1:
        return children
    made: list[tuple[Mark, Argument]] = children[0]
    made.append(children[1])
    return made


def argument(children: Children) -> tuple[Mark, Argument]:
    head: Token = children[0]
    colon, key, value = head.value
    parts: list[Node] = [*head.leaves]
    if len(children) == 2:
        parts += children[1]
        meant = [node for node in children[1] if type(node) is not Text or node.text.strip()]
        if len(meant) == 1 and isinstance(meant[0], Placeholder | Number):
            value = meant[0]
        elif value is None:
            value = next((node for node in meant if type(node) is Text), None)
    if value is None:
        end = parts[-1].end if parts else colon.end
        value = Text(end, end, "")
        parts.append(value)
    return colon, Argument(parts[0].start, parts[-1].end, tuple(parts), key, value)


def branch(children: Children) -> tuple[Mark | None, Branch]:
    head: Token = children[0]
    body: tuple[Node, ...] = ()
    weight = None
    parts: list[Node] = []
    for child in children[1:]:
        if type(child) is list:
            if weight is None:  # after the weight come only comments
                body = tuple(child)
            parts += child
        else:
            weight = child.value
            parts += child.leaves
    end = parts[-1].end if parts else head.start
    return head.value, Branch(head.start, end, tuple(parts), body, weight)


branches = parameters = options


def parameter(children: Children) -> Parameter:
    head: Token = children[0]
    value: list[Node] = children[1] if len(children) == 2 else []
    dash, name = head.leaves
    parts = (dash, name, *value)
    return Parameter(dash.start, parts[-1].end, parts, dash, name, tuple(value))


def root(children: Children) -> Root:
    parts: list[Node] = []
    for mark, node in children[0]:
        if mark is not None:
            parts.append(mark)
        parts.append(node)
    found: list[Parameter] = children[1] if len(children) == 2 else []
    parts += found
    return Root(0, parts[-1].end, tuple(parts), tuple([node for _, node in children[0]]), tuple(found))
