"""A tree as one line, for cases: only what means something, in the order of the text."""

from promptc.tree import (
    Alternation,
    Argument,
    BadBraces,
    Branch,
    Break,
    Choice,
    Comment,
    Emphasis,
    Escape,
    Mark,
    Network,
    Node,
    Number,
    Option,
    Parameter,
    Placeholder,
    Raw,
    Root,
    Schedule,
    Stray,
    Text,
    Value,
    Wildcard,
)


def dump(root: Root) -> str:
    """`'a ' round['fog']*1.3 | --ar['3:2']`: branches with AND between, then the parameters."""
    shown = " AND ".join(_branch(branch) for branch in root.branches)
    return " ".join([shown, *map(_parameter, root.parameters)])


def _branch(branch: Branch) -> str:
    return _all(branch.body) + (f" weight {_amount(branch.weight)}" if branch.weight is not None else "")


def _parameter(parameter: Parameter) -> str:
    return f"{parameter.dash.text}{parameter.name.text}[{_all(parameter.value)}]"


def _all(nodes: tuple[Node, ...]) -> str:
    return " ".join(map(_node, nodes))


def _amount(node: "Number | Placeholder | Value | None") -> str:
    if node is None:
        return ""
    if isinstance(node, Number):
        return node.text if node.value is not None else f"?{node.text!r}"
    return _node(node)


def _node(node: Node) -> str:
    match node:
        case Text():
            return repr(node.text)
        case Escape():
            return f"esc{node.value!r}"
        case Raw():
            return f"raw{node.value!r}"
        case Comment():
            return f"comment{node.text!r}"
        case Stray():
            return f"stray{node.text!r}:{node.reason}" + ("" if node.opened is None else f"@{node.opened}")
        case Break():
            return "BREAK"
        case Value():
            return f"value({node.name}={node.text!r})"
        case Number():
            return f"num({_amount(node)})"
        case Placeholder():
            kind = "" if node.annotation is None else f": {node.annotation.text!r}"
            default = "" if node.default is None else f" = {node.default.text!r}"
            return f"hole({node.name.text}{kind}{default})"
        case BadBraces():
            return f"bad:{node.reason}[{_all(node.parts[1:-1])}]"
        case Choice():
            count = ""
            if node.low is not None:
                count = f" {_amount(node.low)}..{_amount(node.high)}"
            if node.separator is not None:
                count += f" by {node.separator.text!r}"
            return f"choice{count}[{' | '.join(map(_node, node.options))}]"
        case Option():
            return (f"{_amount(node.weight)}:: " if node.weight is not None else "") + _all(node.body)
        case Wildcard():
            return f"wild({node.name.text})"
        case Emphasis():
            shape = "round" if node.bracket == "(" else "square"
            return f"{shape}[{_all(node.body)}]" + (f"*{_amount(node.weight)}" if node.weight is not None else "")
        case Schedule():
            return f"switch[{_all(node.before)} -> {_all(node.after)} @ {_amount(node.when)}]"
        case Alternation():
            return f"turn[{' | '.join(map(_all, node.options))}]"
        case Network():
            return f"net {node.kind.text}[{_all(node.name)}]({', '.join(map(_node, node.arguments))})"
        case Argument():
            key = "" if node.key is None else f"{node.key.text}="
            return key + (_amount(node.value) if not isinstance(node.value, Text) else repr(node.value.text))
        case Mark():
            return f"mark{node.text!r}"
        case _:
            raise AssertionError(node)
