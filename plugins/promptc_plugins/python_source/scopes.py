"""What a name means at a place of a Python module, from its `ast` alone: nothing is ever imported or run."""

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

Kind = Literal["module", "class", "function", "comprehension"]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Imported:
    """`import module` (`name` is None, `module` as bound) or `from module import name`; `level` counts the dots."""

    module: str
    name: str | None
    level: int = 0


@dataclass(frozen=True, slots=True)
class Assigned:
    """`name = value`, `name: annotation = value`, or `type name = value`."""

    value: ast.expr


@dataclass(frozen=True, slots=True)
class Defined:
    """A class or function statement."""

    node: ast.ClassDef | Function


Binding: TypeAlias = Imported | Assigned | Defined | None
"""None for whatever else binds a name: a parameter, a loop, an unpacking, `+=`."""


class Scope:
    """The names that a module, class, function or comprehension binds, each with everything that binds it."""

    def __init__(self, kind: Kind, parent: "Scope | None" = None) -> None:
        self.kind, self.parent = kind, parent
        self.names: dict[str, list[Binding]] = {}
        self.stars: list[Imported] = []
        self.elsewhere: dict[str, Literal["global", "nonlocal"]] = {}

    def bind(self, name: str, binding: Binding) -> None:
        self.names.setdefault(name, []).append(binding)


class Scan:
    """A module's scopes, and the calls and decorated functions in it with the scope that each stands in."""

    def __init__(self) -> None:
        self.top = Scope("module")
        self.calls: list[tuple[ast.Call, Scope]] = []
        self.functions: list[tuple[Function, Scope]] = []
        self.inner: dict[ast.ClassDef, Scope] = {}
        self.sharing: list[Scope] = []


def scan(tree: ast.Module) -> Scan:
    """Bind every name of a module in one pass, without recursion."""
    found = Scan()
    pending: list[tuple[ast.AST, Scope]] = [(tree, found.top)]
    while pending:
        pending.extend(_enter(*pending.pop(), found))
    for scope in found.sharing:
        _hand_over(scope, found.top)
    return found


def lookup(name: str, scope: Scope) -> tuple[Scope, list[Binding]] | None:
    """Where `name`, used in `scope`, is bound, and by what. None for a name that the module does not bind."""
    here: Scope | None = scope
    while here is not None:
        if name in here.names and (here is scope or here.kind != "class"):
            return here, here.names[name]
        here = here.parent
    return None


def _enter(node: ast.AST, scope: Scope, found: Scan) -> Iterator[tuple[ast.AST, Scope]]:
    """Bind what a node binds; yield its children with the scopes they stand in."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            scope.bind(node.name, Defined(node))
            if node.decorator_list:
                found.functions.append((node, scope))
            inner = Scope("function", scope)
            _bind_arguments(node.args, inner)
            yield from _each(node.body, inner)
            yield from _each([*node.decorator_list, *_annotations(node.args)], scope)
            if node.returns:
                yield node.returns, scope
        case ast.Lambda():
            inner = Scope("function", scope)
            _bind_arguments(node.args, inner)
            yield node.body, inner
            yield from _each(_annotations(node.args), scope)
        case ast.ClassDef():
            scope.bind(node.name, Defined(node))
            inner = Scope("class", scope)
            found.inner[node] = inner
            yield from _each(node.body, inner)
            yield from _each([*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)], scope)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            yield from _each(ast.iter_child_nodes(node), Scope("comprehension", scope))
        case ast.Assign():
            yield node.value, scope
            for target in node.targets:
                if isinstance(target, ast.Name):
                    scope.bind(target.id, Assigned(node.value))
                else:
                    yield target, scope
        case ast.AnnAssign(target=ast.Name(id=name)):
            if node.value is not None:
                scope.bind(name, Assigned(node.value))
                yield node.value, scope
            elif scope.kind == "function":
                scope.bind(name, None)
            yield node.annotation, scope
        case ast.NamedExpr():
            owner = scope
            while owner.kind == "comprehension" and owner.parent is not None:
                owner = owner.parent
            owner.bind(node.target.id, Assigned(node.value))
            yield node.value, scope
        case ast.Import():
            for alias in node.names:
                if alias.asname:
                    scope.bind(alias.asname, Imported(alias.name, None))
                else:
                    first = alias.name.partition(".")[0]
                    scope.bind(first, Imported(first, None))
        case ast.ImportFrom():
            for alias in node.names:
                imported = Imported(node.module or "", alias.name, node.level)
                if alias.name == "*":
                    scope.stars.append(imported)
                else:
                    scope.bind(alias.asname or alias.name, imported)
        case ast.Global() | ast.Nonlocal():
            found.sharing.append(scope)
            for name in node.names:
                scope.elsewhere[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
        case ast.Name(ctx=ast.Store() | ast.Del()):
            scope.bind(node.id, None)
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            if node.name:
                scope.bind(node.name, None)
            yield from _each(ast.iter_child_nodes(node), scope)
        case ast.MatchMapping():
            if node.rest:
                scope.bind(node.rest, None)
            yield from _each(ast.iter_child_nodes(node), scope)
        case _:
            if isinstance(node, ast.Call):
                found.calls.append((node, scope))
            elif type(node).__name__ == "TypeAlias":  # a node of Python 3.12 and later
                scope.bind(node.name.id, Assigned(node.value))  # type: ignore[attr-defined]
                return
            yield from _each(ast.iter_child_nodes(node), scope)


def _each(nodes: Iterable[ast.AST], scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
    for node in nodes:
        yield node, scope


def arguments(args: ast.arguments) -> list[ast.arg]:
    """Every parameter of a signature, `*args` and `**kwargs` included, in order."""
    star = [args.vararg] if args.vararg else []
    stars = [args.kwarg] if args.kwarg else []
    return [*args.posonlyargs, *args.args, *star, *args.kwonlyargs, *stars]


def _bind_arguments(args: ast.arguments, scope: Scope) -> None:
    for argument in arguments(args):
        scope.bind(argument.arg, None)


def _annotations(args: ast.arguments) -> list[ast.AST]:
    written = [argument.annotation for argument in arguments(args)]
    return [node for node in (*args.defaults, *args.kw_defaults, *written) if node is not None]


def _hand_over(scope: Scope, module: Scope) -> None:
    """Move what `global` and `nonlocal` names are bound to into the scope that owns them."""
    for name, kind in scope.elsewhere.items():
        bindings = scope.names.pop(name, [])
        owner = module if kind == "global" else scope.parent
        while kind == "nonlocal" and owner is not None and (owner.kind == "class" or name not in owner.names):
            owner = owner.parent
        if owner is not None and owner is not scope:
            owner.names.setdefault(name, []).extend(bindings)
