"""Python annotations as placeholder types: `int`, `Literal[...]`, an Enum, `Annotated[int, Ge(0), Le(120)]`."""

import ast
from collections.abc import Iterable, Iterator
from math import inf, nextafter
from typing import TypeAlias

from promptc.types import Bool, Float, Image, Int, OneOf, Ratio, Scalar, Str, Type
from promptc_plugins.python_source.modules import Class, Expression, Known, Module, resolve
from promptc_plugins.python_source.scopes import Scope

Limits: TypeAlias = dict[str, float]
_DEPTH = 12
_PLAIN: dict[str, Type] = {
    "builtins.str": Str(),
    "builtins.int": Int(),
    "builtins.float": Float(),
    "builtins.bool": Bool(),
    "promptc.Image": Image(),
    "promptc.Ratio": Ratio(),
    "promptc.values.Image": Image(),
    "promptc.values.Ratio": Ratio(),
    "pydantic.PositiveInt": Int(low=1),
    "pydantic.NonNegativeInt": Int(low=0),
    "pydantic.PositiveFloat": Float(low=nextafter(0, inf)),
    "pydantic.NonNegativeFloat": Float(low=0.0),
    "pydantic.StrictStr": Str(),
    "pydantic.StrictInt": Int(),
    "pydantic.StrictFloat": Float(),
    "pydantic.StrictBool": Bool(),
}
_WRAPPERS = {"Optional", "Final", "Required", "NotRequired", "ReadOnly", "InitVar"}
_ENUMS = {"enum.Enum", "enum.StrEnum", "enum.IntEnum"}
_TYPING = ("typing", "typing_extensions")
_LIMITS = ("ge", "gt", "le", "lt")


def unquoted(node: ast.expr) -> ast.expr:
    """The expression of an annotation that is written as a string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return node
    return node


def special(module: Module, node: ast.expr, scope: Scope) -> str | None:
    """The name of a `typing` form: `ClassVar` for `ClassVar[int]` and `t.ClassVar`."""
    node = unquoted(node)
    called = resolve(module, node.value if isinstance(node, ast.Subscript) else node, scope)
    if not isinstance(called, Known):
        return None
    owner, _, name = called.path.rpartition(".")
    return name if owner in _TYPING or (owner, name) == ("dataclasses", "InitVar") else None


def kind_of(module: Module, node: ast.expr, scope: Scope, depth: int = 0) -> Type | None:
    """The type of an annotation. None where it is unknown, so that nothing is checked against it."""
    if depth > _DEPTH:
        return None
    node = unquoted(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union(module, _members(node), scope, depth + 1)
    if isinstance(node, ast.Subscript):
        return _subscript(module, node, scope, depth + 1)
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    match resolve(module, node, scope):
        case Known(path):
            return _PLAIN.get(path)
        case Class() as found:
            return _enum(found)
        case Expression(module=where, node=ast.Call(func=function, args=[_, made]), scope=inner):
            is_new = resolve(where, function, inner) in (Known("typing.NewType"), Known("typing_extensions.NewType"))
            return kind_of(where, made, inner, depth + 1) if is_new else None
        case Expression(module=where, node=alias, scope=inner):
            return kind_of(where, alias, inner, depth + 1)
    return None


def limited(kind: Type | None, limits: Limits) -> Type | None:
    """The type within `ge`, `gt`, `le` and `lt`."""
    if not limits or not isinstance(kind, Int | Float):
        return kind
    whole = isinstance(kind, Int)
    low, high = limits.get("ge"), limits.get("le")
    if "gt" in limits:
        low = limits["gt"] + 1 if whole else nextafter(limits["gt"], inf)
    if "lt" in limits:
        high = limits["lt"] - 1 if whole else nextafter(limits["lt"], -inf)
    if whole:
        return Int(None if low is None else int(low), None if high is None else int(high))
    return Float(None if low is None else float(low), None if high is None else float(high))


def limits_of(call: ast.Call) -> Limits:
    """The limits that a constraint sets: `Field(ge=0, le=1)`, `Ge(0)`, `Interval(ge=0)`."""
    found: Limits = {}
    name = (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")).lower()
    if name in _LIMITS and call.args and (value := _number(call.args[0])) is not None:
        found[name] = value
    for keyword in call.keywords:
        if keyword.arg in _LIMITS and (value := _number(keyword.value)) is not None:
            found[keyword.arg] = value
    return found


def scalar(node: ast.expr) -> Scalar | None:
    """The value of a literal default."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str | int | float | bool) else None


def _number(node: ast.expr) -> float | None:
    value = scalar(node)
    return None if isinstance(value, str | bool) else value


def _subscript(module: Module, node: ast.Subscript, scope: Scope, depth: int) -> Type | None:
    form = special(module, node, scope)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if form == "Literal":
        values = list(_literals(module, parts, scope))
        return OneOf(tuple(dict.fromkeys(v for v in values if v is not None))) if None not in values else None
    if form == "Union":
        return _union(module, parts, scope, depth)
    if form == "Annotated":
        limits: Limits = {}
        for extra in parts[1:]:
            if isinstance(extra, ast.Call):
                limits |= limits_of(extra)
        return limited(kind_of(module, parts[0], scope, depth), limits)
    return kind_of(module, parts[0], scope, depth) if form in _WRAPPERS else None


def _members(node: ast.expr) -> list[ast.expr]:
    members: list[ast.expr] = []
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            pending += [node.right, node.left]
        else:
            members.append(node)
    return members


def _union(module: Module, members: Iterable[ast.expr], scope: Scope, depth: int) -> Type | None:
    kinds = [kind_of(module, member, scope, depth) for member in members if not _is_none(member)]
    if len(kinds) == 1:
        return kinds[0]
    if kinds and all(isinstance(kind, OneOf) for kind in kinds):
        return OneOf(tuple(dict.fromkeys(value for kind in kinds if isinstance(kind, OneOf) for value in kind.values)))
    return Float() if kinds and all(kind in (Int(), Float()) for kind in kinds) else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _literals(module: Module, parts: Iterable[ast.expr], scope: Scope) -> Iterator[Scalar | None]:
    for part in parts:
        if isinstance(part, ast.Subscript):  # Literal[Literal["a"], "b"]
            nested = kind_of(module, part, scope)
            yield from nested.values if isinstance(nested, OneOf) else (None,)
        elif not _is_none(part):
            yield scalar(part)


def _enum(found: Class) -> Type | None:
    """The values of an Enum's members."""
    bases = [resolve(found.module, base, found.scope.parent or found.scope) for base in found.node.bases]
    known = {base.path for base in bases if isinstance(base, Known)}
    if not known & _ENUMS:
        return None
    values: list[Scalar] = []
    for statement in found.node.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        name = statement.targets[0].id
        if name.startswith("_"):
            continue
        value = scalar(statement.value)
        if value is None and "enum.StrEnum" in known and _is_auto(found, statement.value):
            value = name.lower()
        if value is None:
            return None
        values.append(value)
    return OneOf(tuple(dict.fromkeys(values))) if values else None


def _is_auto(found: Class, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and resolve(found.module, node.func, found.scope) == Known("enum.auto")
