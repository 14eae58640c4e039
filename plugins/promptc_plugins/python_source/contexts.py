"""The parameter list of a context: the fields of a class, the signature of a function, read from their source.

Whatever is not certain (a base from outside, a decorator that may add fields) makes the context incomplete, and an
incomplete context never makes a placeholder unknown.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from promptc.context import Context, Parameter
from promptc.source import Span
from promptc_plugins.python_source.annotations import kind_of, limited, limits_of, scalar, special, unquoted
from promptc_plugins.python_source.modules import Class, Expression, Known, Module, resolve
from promptc_plugins.python_source.scopes import Function, Scope

_DEPTH = 16
_NEUTRAL_BASES = {"builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC", "typing_extensions.Generic"}
_NEUTRAL_DECORATORS = {"typing.final", "typing_extensions.final", "functools.total_ordering"}
_BASES = {
    "pydantic.BaseModel": "model",
    "pydantic.main.BaseModel": "model",
    "pydantic_settings.BaseSettings": "model",
    "typing.TypedDict": "typed dict",
    "typing_extensions.TypedDict": "typed dict",
    "typing.NamedTuple": "named tuple",
    "typing_extensions.NamedTuple": "named tuple",
}
_DECORATORS = {
    "dataclasses.dataclass": "dataclass",
    "pydantic.dataclasses.dataclass": "dataclass",
    **{f"{owner}.{name}": "dataclass" for owner in ("attr", "attrs") for name in ("define", "frozen", "mutable")},
    **{f"attr.{name}": "dataclass" for name in ("s", "attrs", "dataclass")},
}
_FIELDS = {
    "pydantic.Field",
    "pydantic.fields.Field",
    "dataclasses.field",
    "attr.field",
    "attrs.field",
    "attr.ib",
    "attr.attrib",
}
_PROPERTIES = {"builtins.property", "functools.cached_property", "pydantic.computed_field"}


class _Fields:
    def __init__(self, complete: bool = True) -> None:
        self.found: dict[str, Parameter] = {}
        self.complete = complete
        self.form: str | None = None


def of_class(expression: Expression) -> Context | None:
    """The context that `Template[expression]` names. None where the class is not found at all."""
    node = unquoted(expression.node)
    if isinstance(node, ast.Subscript):
        node = node.value  # `Holder[int]`
    target = resolve(expression.module, node, expression.scope) if isinstance(node, ast.Name | ast.Attribute) else None
    if not isinstance(target, Class):
        return None
    fields = _class_fields(target, 0)
    complete = fields.complete and fields.form is not None
    here = expression.module.source.path
    found = (one if one.origin == here else replace(one, span=None) for one in fields.found.values())
    return Context(target.node.name, tuple(found), complete=complete, origin=target.module.source.path)


def of_function(module: Module, node: Function, scope: Scope) -> Context:
    """The context that a signature gives. `self` and `cls` of a method are no parameters of the prompt."""
    args = node.args
    plain = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults))
    pairs = [
        *zip(plain, [*defaults, *args.defaults], strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    if scope.kind == "class" and pairs and not _is_static(module, node, scope):
        pairs = pairs[1:]
    parameters = tuple(
        _parameter(module, argument.arg, argument, argument.annotation, default, scope) for argument, default in pairs
    )
    return Context(node.name, parameters, complete=args.kwarg is None, origin=module.source.path)


def _is_static(module: Module, node: Function, scope: Scope) -> bool:
    return any(_called(module, each, scope) == "builtins.staticmethod" for each in node.decorator_list)


def _parameter(
    module: Module,
    name: str,
    place: ast.expr | ast.arg,
    annotation: ast.expr | None,
    default: ast.expr | None,
    scope: Scope,
) -> Parameter:
    start = module.lines.span(place).start
    return Parameter(
        name=name,
        type=None if annotation is None else kind_of(module, annotation, scope),
        default=None if default is None else scalar(default),
        required=default is None,
        span=Span(start, start + len(name)),
        origin=module.source.path,
    )


def _class_fields(target: Class, depth: int) -> _Fields:
    fields = _Fields()
    if depth > _DEPTH:
        return _Fields(complete=False)
    module, node = target.module, target.node
    for base in reversed(node.bases):
        _inherit(fields, module, base, target.scope.parent or target.scope, depth)
    for decorator in node.decorator_list:
        name = _called(module, decorator, target.scope.parent or target.scope)
        if name in _DECORATORS:
            fields.form = _DECORATORS[name or ""]
        elif name not in _NEUTRAL_DECORATORS:
            fields.complete = False
    if any(keyword.arg == "extra" and scalar(keyword.value) == "allow" for keyword in node.keywords):
        fields.complete = False
    optional = any(keyword.arg == "total" and scalar(keyword.value) is False for keyword in node.keywords)
    for parameter in _own_fields(target, fields):
        fields.found[parameter.name] = replace(parameter, required=parameter.required and not optional)
    return fields


def _inherit(fields: _Fields, module: Module, base: ast.expr, scope: Scope, depth: int) -> None:
    plain = base.value if isinstance(base, ast.Subscript) else base
    match resolve(module, plain, scope):
        case Known(path) if path in _NEUTRAL_BASES:
            pass
        case Known(path) if path in _BASES:
            fields.form = _BASES[path]
        case Class() as parent:
            inherited = _class_fields(parent, depth + 1)
            fields.found |= inherited.found
            fields.form = inherited.form or fields.form
            fields.complete = fields.complete and inherited.complete
        case _:
            fields.complete = False


def _own_fields(target: Class, fields: _Fields) -> Iterator[Parameter]:
    module, scope = target.module, target.scope
    for statement in target.node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name) as place, annotation=annotation, value=value):
                if name.startswith("_") or name == "model_config" or special(module, annotation, scope) == "ClassVar":
                    continue
                yield _field(module, place, annotation, value, scope)
            case ast.Assign(targets=[ast.Name(id="model_config")], value=value):
                fields.complete = fields.complete and not _allows_extra(value)
            case ast.Assign(targets=[ast.Name() as place], value=ast.Call() as call):
                if _called(module, call, scope) in _FIELDS:  # attrs without annotations
                    yield _field(module, place, None, call, scope)
            case ast.FunctionDef(name=name):
                decorators = {_called(module, each, scope) for each in statement.decorator_list}
                if decorators & _PROPERTIES:  # a value that the context offers and nobody passes
                    kind = None if statement.returns is None else kind_of(module, statement.returns, scope)
                    yield Parameter(name, kind, None, required=False, origin=module.source.path)
                elif name in ("__getattr__", "__getattribute__"):
                    fields.complete = False
            case ast.AnnAssign() | ast.Assign() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case ast.Pass() | ast.Expr():
                pass
            case _:
                fields.complete = False  # an `if`, a loop or an import may bind fields


def _field(
    module: Module, place: ast.Name, annotation: ast.expr | None, value: ast.expr | None, scope: Scope
) -> Parameter:
    call = value if isinstance(value, ast.Call) and _called(module, value, scope) in _FIELDS else None
    default = _default(call) if call else value
    parameter = _parameter(module, place.id, place, annotation, default, scope)
    if annotation is not None and special(module, annotation, scope) == "NotRequired":
        parameter = replace(parameter, required=False)
    if call is None:
        return parameter
    made = any(keyword.arg in ("default_factory", "factory") for keyword in call.keywords)
    hidden = any(keyword.arg == "init" and scalar(keyword.value) is False for keyword in call.keywords)
    return replace(
        parameter,
        type=limited(parameter.type, limits_of(call)),
        required=parameter.required and not made and not hidden,
    )


def _default(call: ast.Call) -> ast.expr | None:
    positional = call.args[0] if call.args else None
    default = next((keyword.value for keyword in call.keywords if keyword.arg == "default"), positional)
    return None if isinstance(default, ast.Constant) and default.value is ... else default


def _called(module: Module, node: ast.expr, scope: Scope) -> str | None:
    """The outside name of a decorator or call, without its arguments."""
    function = node.func if isinstance(node, ast.Call) else node
    meaning = resolve(module, function, scope) if isinstance(function, ast.Name | ast.Attribute) else None
    return meaning.path if isinstance(meaning, Known) else None


def _allows_extra(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return any(keyword.arg == "extra" and scalar(keyword.value) == "allow" for keyword in node.keywords)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return any(key is not None and scalar(key) == "extra" and scalar(value) == "allow" for key, value in pairs)
    return True
