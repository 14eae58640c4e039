"""Values into placeholders: the tree keeps its shape, and a value becomes a leaf that is never parsed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from enum import Enum
from os import PathLike
from typing import Any, get_args

from promptc.context import Context, infer, places
from promptc.errors import BindError, Refusal
from promptc.suggest import nearest
from promptc.tree import Inner, Node, Placeholder, Root, Value
from promptc.types import Bool, Float, Image, Int, OneOf, Ratio, Str, Type, TypeProblem, accepts, parse_value
from promptc.values import show


def bind(root: Root, context: Context, values: Mapping[str, object]) -> Root:
    """The tree with a Value in the place of every Placeholder. Raises BindError, which names every value refused.

    A name of `context` that has no value takes its default. Types and ranges are checked: those that the context
    declares, and those of the places that the placeholders stand in.
    """
    return fill(root, check_values((root,), context, values))


def check_values(roots: Iterable[Root], context: Context, values: Mapping[str, object]) -> dict[str, object]:
    """The value of every name of the context and of the texts over it, defaults included. Raises BindError."""
    declared = {one.name: one for one in context.parameters}
    wanted: dict[str, list[Type]] = {}
    defaults: dict[str, object] = {}
    for root in roots:
        for place in places(root):
            if isinstance(place.placeholder, Placeholder):
                wanted.setdefault(place.placeholder.name.text, []).append(place.type)
        for one in infer(root).parameters:
            declared.setdefault(one.name, one)
            if not one.required:
                defaults.setdefault(one.name, one.default)
    defaults |= {one.name: one.default for one in context.parameters if not one.required and one.default is not None}
    refusals = [_unknown(name, declared) for name in values if name not in declared]
    bound: dict[str, object] = {}
    for name, parameter in declared.items():
        value = values.get(name, defaults.get(name))
        if value is None:
            if name in wanted or (name not in values and parameter.required):
                reason = "None is no value" if name in values else "it has no value"
                refusals.append(Refusal(name, reason, f"give one, as in {name}={_example(parameter.type)}"))
            continue  # else an optional field that the prompt does not use
        if name not in wanted and parameter.type is None:
            continue  # a field that is no placeholder's, such as a list
        try:
            bound[name] = _convert(value, parameter.type, wanted.get(name, ()))
        except ValueError as error:
            refusals.append(Refusal(name, str(error)))
    if refusals:
        raise BindError(refusals)
    return bound


def fill(root: Root, values: Mapping[str, object]) -> Root:
    """The tree with these values, which are not checked again."""
    texts = {name: (show(value), value) for name, value in values.items()}

    def change(node: Node) -> Node:
        if isinstance(node, Placeholder) and node.name.text in texts:
            return Value(node.start, node.end, texts[node.name.text][0], node.name.text, texts[node.name.text][1])
        return node

    return rewrite(root, change)


def read_values(context: Context, texts: Mapping[str, str]) -> dict[str, object]:
    """Values from a command line's texts, by their declared types. Raises BindError.

    A name that the context does not know is kept, so that `bind` refuses it.
    """
    types = {one.name: one.type for one in context.parameters}
    values: dict[str, object] = {}
    refusals: list[Refusal] = []
    for name, text in texts.items():
        found = parse_value(types.get(name) or Str(), text)
        if isinstance(found, TypeProblem):
            hint = (
                f"did you mean {found.replacement}?"
                if found.replacement and "did you mean" not in found.message
                else ""
            )
            refusals.append(Refusal(name, found.message, found.help or hint))
        else:
            values[name] = found
    if refusals:
        raise BindError(refusals)
    return values


def _unknown(name: str, declared: Iterable[str]) -> Refusal:
    close = nearest(name, declared)
    if close:
        return Refusal(name, "the prompt has no such placeholder", f"did you mean {close}?")
    known = ", ".join(declared)
    return Refusal(name, "the prompt has no such placeholder", f"it has {known}" if known else "it has none")


_EXAMPLES: Mapping[type, str] = {Int: "3", Float: "1.5", Image: '"card.png"', Ratio: '"4:5"'}


def _example(kind: Type | None) -> str:
    if isinstance(kind, OneOf):
        return repr(kind.values[0])
    if isinstance(kind, Int | Float) and kind.low is not None:
        return repr(kind.low)
    return _EXAMPLES.get(type(kind), '"…"')


def _convert(value: object, declared: Type | None, places: Iterable[Type]) -> object:
    """The value as its places want it. Raises ValueError with the reason why it cannot stand there."""
    if isinstance(value, Enum):
        value = value.value
    if declared is not None and (reason := accepts(declared, value)):
        raise ValueError(reason)
    if not isinstance(value, str | int | float | PathLike | tuple):
        raise ValueError(f"a text or a number is wanted, not a value of type {type(value).__name__}")
    for kind in places:
        if isinstance(kind, Str):
            continue  # in text, every value is shown
        if isinstance(value, str) and isinstance(kind, Int | Float | Bool):
            # A text that stands where a number must: what it says counts, as it would written out.
            found = parse_value(kind, value)
            if isinstance(found, TypeProblem):
                raise ValueError(found.message)
            value = found
        elif reason := accepts(kind, value):
            raise ValueError(reason)
    return value


def rewrite(root: Root, change: Callable[[Node], Node | None]) -> Root:
    """A copy of a tree in which `change` has taken the place of nodes, from the top down; None leaves one out.

    A node that is in two fields of its parent stays one node.
    """
    made: dict[int, Any] = {}

    def copy(item: Any) -> Any:
        if isinstance(item, tuple):
            found = []
            for each in item:  # a loop, not a comprehension: half the stack for a deep tree
                if (new := copy(each)) is not None:
                    found.append(new)  # noqa: PERF401
            return tuple(found)
        if not hasattr(item, "start"):
            return item
        if id(item) not in made:
            changed = change(item)
            if isinstance(changed, _INNER):
                values = []
                for field in fields(changed):
                    values.append(copy(getattr(changed, field.name)))  # noqa: PERF401
                changed = type(changed)(*values)
            made[id(item)] = changed
        return made[id(item)]

    whole: Root = copy(root)
    return whole


_INNER = get_args(Inner)
