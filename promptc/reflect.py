"""Contexts from running Python: the fields of a class, the signature of a function, the values of an object.

`promptc check` reads the same from the source alone. An annotation that is no placeholder's type says nothing here,
as it says nothing there: the values are what is checked.
"""

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cached_property
from importlib import import_module
from math import inf, nextafter
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from promptc import values
from promptc.context import Context, Parameter
from promptc.types import Bool, Float, Image, Int, OneOf, Ratio, Str, Type

_PLAIN: dict[object, Type] = {
    str: Str(),
    int: Int(),
    float: Float(),
    bool: Bool(),
    values.Image: Image(),
    values.Ratio: Ratio(),
}
_WRAPPERS = {"Final", "Required", "NotRequired", "ReadOnly", "ClassVar"}
_PROPERTIES = (property, cached_property)


def of_class(context: object) -> Context:
    """The context that `Template[context]` names. Raises TypeError for what is no class with fields."""
    owner = get_origin(context) or context
    if not isinstance(owner, type):
        wanted = "a pydantic model, a dataclass, an attrs class, a NamedTuple or a TypedDict"
        shown = repr(context) if isinstance(context, str | TypeVar) else f"a {type(context).__name__}"
        raise TypeError(f"the context of a Template is {wanted}, not {shown}")
    required = _required(owner)
    if required is None:
        raise TypeError(
            f"{owner.__qualname__} has no fields that can be read; make it a dataclass, a pydantic model, "
            "an attrs class, a NamedTuple or a TypedDict"
        )
    hints = _hints(owner)
    found = {
        name: Parameter(name, _limited(owner, name, kind_of(hints.get(name))), None, needed)
        for name, needed in required.items()
    }
    for base in owner.__mro__[:-1]:
        for name, member in vars(base).items():
            if isinstance(member, _PROPERTIES) and not name.startswith(("_", "model_")):
                found.setdefault(name, Parameter(name, kind_of(_returns(member)), None, False))
    open_ended = getattr(owner, "model_config", {}).get("extra") == "allow"
    return Context(owner.__name__, tuple(found.values()), not open_ended, owner.__module__)


def of_function(function: Callable[..., object]) -> tuple[Context, tuple[str, ...]]:
    """The context that a signature gives, and the names that may be given by position."""
    hints = _hints(function)
    found: list[Parameter] = []
    positional: list[str] = []
    open_ended = False
    for place, (name, one) in enumerate(inspect.signature(function).parameters.items()):
        if one.kind is one.VAR_KEYWORD:
            open_ended = True
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL) or (place == 0 and name in ("self", "cls")):
            continue
        if one.kind is not one.KEYWORD_ONLY:
            positional.append(name)
        needed = one.default is one.empty
        kind = kind_of(hints.get(name))
        found.append(Parameter(name, kind, None if needed else one.default, needed))
    origin = getattr(function, "__module__", None) or ""
    return Context(function.__name__, tuple(found), not open_ended, origin), tuple(positional)


def values_of(context: object, fields: Iterable[str], used: Iterable[str]) -> dict[str, object]:
    """What an object (or a mapping) says for these names. A name in `used` may be a property; absent ones are left out."""
    names = dict.fromkeys([*fields, *used])
    if isinstance(context, Mapping):
        return {name: context[name] for name in names if name in context}
    return {name: getattr(context, name) for name in names if hasattr(context, name)}


def fields_of(context: type) -> list[str]:
    """The names of a class's fields, properties left out."""
    return list(_required(context) or {})


def kind_of(annotation: Any) -> Type | None:
    """The placeholder type that an annotation means, or None."""
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        options = tuple(dict.fromkeys(member.value for member in annotation))
        return OneOf(options) if all(isinstance(option, str | int | float) for option in options) else None
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return limited(kind_of(parts[0]), parts[1:])
    if origin is Literal:
        options = tuple(part.value if isinstance(part, Enum) else part for part in parts if part is not None)
        return OneOf(options) if options and all(isinstance(part, str | int | float) for part in options) else None
    if origin in (Union, types.UnionType):
        return _union([kind_of(part) for part in parts if part is not type(None)])
    if getattr(origin, "_name", getattr(origin, "__name__", None)) in _WRAPPERS:
        return kind_of(parts[0]) if parts else None
    inner = getattr(annotation, "__supertype__", None) or getattr(
        annotation, "__value__", None
    )  # NewType, `type X = …`
    return kind_of(inner) if inner is not None else None


def limited(kind: Type | None, constraints: Iterable[object]) -> Type | None:
    """The type within the `ge`, `gt`, `le` and `lt` of constraints (annotated_types, pydantic's Field)."""
    for one in constraints:
        kind = limited(kind, getattr(one, "metadata", ()))
        if not isinstance(kind, Int | Float):
            return kind
        whole = isinstance(kind, Int)
        low, high = kind.low, kind.high
        if (limit := getattr(one, "ge", None)) is not None:
            low = limit
        if (limit := getattr(one, "gt", None)) is not None:
            low = limit + 1 if whole else nextafter(limit, inf)
        if (limit := getattr(one, "le", None)) is not None:
            high = limit
        if (limit := getattr(one, "lt", None)) is not None:
            high = limit - 1 if whole else nextafter(limit, -inf)
        kind = Int(_whole(low), _whole(high)) if whole else Float(low, high)
    return kind


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def _union(kinds: list[Type | None]) -> Type | None:
    if len(kinds) == 1:
        return kinds[0]
    if kinds and all(isinstance(kind, OneOf) for kind in kinds):
        options = [option for kind in kinds if isinstance(kind, OneOf) for option in kind.values]
        return OneOf(tuple(dict.fromkeys(options)))
    return Float() if kinds and all(kind in (Int(), Float()) for kind in kinds) else None


def _required(owner: type) -> dict[str, bool] | None:
    """A class's fields, and whether each must be given. None for a class without fields."""
    if hasattr(owner, "model_fields"):
        return {name: field.is_required() for name, field in owner.model_fields.items()}
    if hasattr(owner, "__dataclass_fields__"):
        import dataclasses

        missing = dataclasses.MISSING
        return {
            field.name: field.init and field.default is missing and field.default_factory is missing
            for field in dataclasses.fields(owner)
        }
    if hasattr(owner, "__attrs_attrs__"):
        unset = import_module("attr").NOTHING
        return {field.name: field.init and field.default is unset for field in owner.__attrs_attrs__}
    if typing.is_typeddict(owner):
        return {name: name in owner.__required_keys__ for name in owner.__annotations__}  # type: ignore[attr-defined]
    if issubclass(owner, tuple) and hasattr(owner, "_fields"):
        defaults = getattr(owner, "_field_defaults", {})
        return {name: name not in defaults for name in owner._fields}
    return None


def _limited(owner: type, name: str, kind: Type | None) -> Type | None:
    """A pydantic field keeps its limits beside its annotation."""
    field = getattr(owner, "model_fields", {}).get(name)
    return kind if field is None else limited(kind, field.metadata)


def _returns(member: Any) -> Any:
    function = getattr(member, "fget", None) or getattr(member, "func", None)
    return _hints(function).get("return") if function is not None else None


def _hints(owner: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except Exception:  # a name that is known to the type checker only: what can be read is read
        raw = getattr(owner, "__annotations__", {})
        return {name: hint for name, hint in raw.items() if not isinstance(hint, str)}
