"""Placeholder types as mypy's types, and the other way round."""

from mypy.nodes import ARG_NAMED, ARG_NAMED_OPT, TypeInfo, Var
from mypy.types import (
    AnyType,
    Instance,
    LiteralType,
    NoneType,
    Parameters,
    TupleType,
    TypedDictType,
    TypeOfAny,
    UnionType,
    get_proper_type,
)
from mypy.types import Type as MypyType

from promptc.context import Context, Parameter
from promptc.types import Bool, Float, Image, Int, OneOf, Ratio, Str, Type
from promptc_plugins.mypy.guard import Call

_NAMES: dict[str, Type] = {
    "builtins.str": Str(),
    "builtins.int": Int(),
    "builtins.float": Float(),
    "builtins.bool": Bool(),
    "promptc.values.Image": Image(),
    "promptc.values.Ratio": Ratio(),
}


def parameters(ctx: Call, context: Context) -> Parameters:
    """The keyword-only signature that a context asks for."""
    found = context.parameters
    return Parameters(
        [to_mypy(ctx, one.type) for one in found],
        [ARG_NAMED if one.required else ARG_NAMED_OPT for one in found],
        [one.name for one in found],
    )


def to_mypy(ctx: Call, kind: Type | None) -> MypyType:
    """What a call may pass for a placeholder type."""
    named = ctx.api.named_generic_type
    text = named("builtins.str", [])
    match kind:
        case None:
            return AnyType(TypeOfAny.special_form)
        case Str():
            return text
        case Image():
            return UnionType([text, named("os.PathLike", [text])])
        case Ratio():
            whole = named("builtins.int", [])
            return UnionType([text, TupleType([whole, whole], named("builtins.tuple", [whole]))])
        case OneOf(values):
            return UnionType.make_union([_literal(ctx, value) for value in values])
        case _:
            return named(f"builtins.{type(kind).__name__.lower()}", [])


def _literal(ctx: Call, value: str | int | float | bool) -> MypyType:
    fallback = ctx.api.named_generic_type(f"builtins.{type(value).__name__}", [])
    return fallback if isinstance(value, float) else LiteralType(value, fallback)


def fields(context: MypyType) -> Context | None:
    """The fields of a template's context, from mypy's own view of the class. None for what has no known fields."""
    proper = get_proper_type(context)
    if isinstance(proper, TypedDictType):
        required = proper.required_keys
        found = [_parameter(name, kind, name in required) for name, kind in proper.items.items()]
        return Context(proper.fallback.type.name, tuple(found))
    if isinstance(proper, TupleType):
        proper = proper.partial_fallback
    if not isinstance(proper, Instance):
        return None
    info = proper.type
    if info.fallback_to_any or info.get("__getattr__") or _is_open(info):
        return None
    members: dict[str, Parameter] = {}
    for base in reversed(info.mro):
        if base.module_name.partition(".")[0] not in _FRAMEWORKS:
            members |= _members(base)
    return Context(info.name, tuple(members.values())) if members else None


_FRAMEWORKS = {
    "builtins",
    "typing",
    "typing_extensions",
    "abc",
    "enum",
    "pydantic",
    "pydantic_settings",
    "attr",
    "attrs",
}


def _members(info: TypeInfo) -> dict[str, Parameter]:
    """What a class itself declares: variables, and properties."""
    found: dict[str, Parameter] = {}
    for name, symbol in info.names.items():
        node = getattr(symbol.node, "var", symbol.node)  # of a decorated function, what it makes
        if (
            not isinstance(node, Var)
            or name.startswith("_")
            or not name.isidentifier()
            or (node.is_classvar and not node.is_property)
        ):
            continue
        if isinstance(symbol.node, Var) or node.is_property:
            found[name] = _parameter(name, node.type, not (node.has_explicit_value or node.is_property))
    return found


def _is_open(info: TypeInfo) -> bool:
    """Whether a pydantic model may allow extra fields, which only its configuration says."""
    return any(
        "model_config" in base.names for base in info.mro if base.module_name.partition(".")[0] not in _FRAMEWORKS
    )


def _parameter(name: str, kind: MypyType | None, required: bool) -> Parameter:
    return Parameter(name, None if kind is None else from_mypy(kind), None, required)


def from_mypy(kind: MypyType) -> Type | None:
    """The placeholder type of a field. None where it is no placeholder's type, so that nothing is checked."""
    proper = get_proper_type(kind)
    match proper:
        case LiteralType(value=str() | int() | float() as value):
            return None if proper.is_enum_literal() else OneOf((value,))
        case UnionType():
            kinds = [from_mypy(item) for item in proper.items if not isinstance(get_proper_type(item), NoneType)]
            if len(kinds) == 1:
                return kinds[0]
            if all(isinstance(one, OneOf) for one in kinds):
                values = [value for one in kinds if isinstance(one, OneOf) for value in one.values]
                return OneOf(tuple(dict.fromkeys(values)))
            return Float() if all(one in (Int(), Float()) for one in kinds) else None
        case TupleType():
            return _NAMES.get(proper.partial_fallback.type.fullname)
        case Instance():
            return _enum(proper.type) if proper.type.is_enum else _NAMES.get(proper.type.fullname)
    return None


def _enum(info: TypeInfo) -> Type | None:
    values: list[str | int | float | bool] = []
    for name in info.enum_members:
        node = info.names[name].node
        kind = get_proper_type(node.type) if isinstance(node, Var) and node.type else None
        last = kind.last_known_value if isinstance(kind, Instance) else None
        if last is None or not isinstance(last.value, str | int | float):
            return None
        values.append(last.value)
    return OneOf(tuple(dict.fromkeys(values))) if values else None
