"""Finds the prompts in a Python source."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from promptc.context import Context
from promptc.diagnostic import Diagnostic
from promptc.source import Fragment, Source, Span
from promptc.suggest import nearest
from promptc.suppress import Suppression
from promptc_plugins.python_source import contexts, literals
from promptc_plugins.python_source.modules import (
    Class,
    Expression,
    Known,
    Module,
    Unreadable,
    literal_of,
    parse,
    resolve,
)
from promptc_plugins.python_source.scopes import Function, Scope
from promptc_plugins.python_source.suppressions import suppressions

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

Kind = Literal["prompt", "template", "function"]
_OBJECTS = {
    "promptc.prompt": "prompt",
    "promptc.template.prompt": "prompt",
    "promptc.Template": "template",
    "promptc.template.Template": "template",
    "promptc.prompt.file": "file",
    "promptc.template.prompt.file": "file",
    "promptc.prompt.function": "function",
    "promptc.template.prompt.function": "function",
}


@dataclass(frozen=True, slots=True)
class Embedded:
    """One prompt of a Python source. `span` is the call or the decorator; `context` is None where the placeholders
    declare themselves."""

    fragment: Fragment
    kind: Kind
    context: Context | None
    span: Span


class Reference(NamedTuple):
    """`prompt.file("card.prompt")`: a path as written, relative to the source's folder, and the place of the literal."""

    path: str
    span: Span


class Found(NamedTuple):
    """What a Python source holds, in source order. `problems` are in the file's offsets."""

    prompts: list[Embedded]
    references: list[Reference]
    problems: list[Diagnostic]
    suppressions: list[Suppression]


class _Callee(NamedTuple):
    kind: str
    context: Expression | None = None


def find(source: Source, *, root: Path | None = None) -> Found:
    """The prompts of a Python source, and what keeps one from being checked. Never raises.

    `root` is the project's folder: first-party modules are looked for there as well as beside the file's package.
    """
    found = Found([], [], [], [])
    if "promptc" not in source.text:
        return found
    try:
        module = parse(source, root)
    except Unreadable as error:
        found.problems.append(_no_python(source, error))
        return found
    seen: set[tuple[Span, Span]] = set()
    for call, scope in module.scan.calls:
        callee = _callee(module, call.func, scope)
        if callee is not None and callee.kind != "function":
            _call(module, call, scope, callee, found, seen)
    for node, scope in module.scan.functions:
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            callee = _callee(module, called, scope)
            if callee is not None and callee.kind == "function":
                _function(module, node, scope, decorator, found)
    found.prompts.sort(key=lambda one: one.fragment.span(0, 0))
    found.references.sort(key=lambda one: one.span)
    found.problems.sort(key=lambda one: one.span)
    found.suppressions.extend(suppressions(source, found.prompts))
    return found


def _callee(module: Module, node: ast.expr, scope: Scope, depth: int = 0) -> _Callee | None:
    """Which of promptc's callables an expression is: also through an alias, `Template[Context]`, or a subclass."""
    if depth > 8:
        return None
    if isinstance(node, ast.Subscript):
        owner = _callee(module, node.value, scope, depth + 1)
        if owner is not None and owner.kind == "template":
            return _Callee("template", Expression(module, node.slice, scope))
        return None
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    match resolve(module, node, scope):
        case Known(path) if path in _OBJECTS:
            return _Callee(_OBJECTS[path])
        case Expression(module=where, node=ast.Subscript() as alias, scope=inner):
            return _callee(where, alias, inner, depth + 1)
        case Class(module=where, node=ast.ClassDef(bases=[base, *_]), scope=inner):
            return _callee(where, base, inner.parent or inner, depth + 1)
    return None


def _call(
    module: Module, call: ast.Call, scope: Scope, callee: _Callee, found: Found, seen: set[tuple[Span, Span]]
) -> None:
    argument = _argument(call)
    if argument is None:
        return  # `prompt()` and `prompt(*texts)` are for the type checker
    literal = literal_of(module, argument, scope)
    if literal is None:
        found.problems.append(_dynamic(module, argument, callee.kind))
        return
    outer = literal.tokens[0].body
    if callee.kind == "file":
        reference = Reference(literal.text, _whole(literal))
        found.references.append(reference)
        found.problems.extend(_missing(module.source, reference))
        return
    context = contexts.of_class(callee.context) if callee.context else None
    place = (outer, module.lines.span(call.func) if callee.context else outer)
    if place not in seen:  # one constant may be used by several calls
        seen.add(place)
        fragment = Fragment(module.source, literal.text, literal, comments="\n" in literal.text)
        kind: Kind = "template" if callee.kind == "template" else "prompt"
        found.prompts.append(Embedded(fragment, kind, context, module.lines.span(call)))


def _argument(call: ast.Call) -> ast.expr | None:
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    return next((keyword.value for keyword in call.keywords if keyword.arg in ("text", "source", "path")), None)


def _function(module: Module, node: Function, scope: Scope, decorator: ast.expr, found: Found) -> None:
    context = contexts.of_function(module, node, scope)
    first = node.body[0]
    if isinstance(first, ast.Expr) and ast.get_docstring(node, clean=False) is not None:
        literal = literals.read(module.source, module.lines, first.value)
        if literal is not None:
            cleaned = literal.cleaned()
            fragment = Fragment(module.source, cleaned.text, cleaned, comments=True)
            found.prompts.append(Embedded(fragment, "function", context, module.lines.span(decorator)))
            return
    start = module.lines.span(node).start
    name = module.source.text.index(
        node.name, start + len("async def" if isinstance(node, ast.AsyncFunctionDef) else "def")
    )
    found.problems.append(
        Diagnostic(
            "E0943",
            "no-docstring",
            "error",
            f"`{node.name}` has no docstring, and the docstring is its prompt",
            Span(name, name + len(node.name)),
            help="write the prompt as the first thing in the function, as a plain string literal",
        )
    )


def _whole(literal: literals.Literal) -> Span:
    first, last = literal.tokens[0], literal.tokens[-1]
    return Span(first.body.start - len(first.quote), last.body.end + len(last.quote))


def _missing(source: Source, reference: Reference) -> Iterator[Diagnostic]:
    """A prompt file that is not there. Only a source that is a file itself has a folder to look in."""
    here = Path(source.path)
    if not here.is_file() or (here.parent / reference.path).is_file():
        return
    near = nearest(reference.path, [path.name for path in here.parent.glob("*.prompt")])
    way = f"did you mean `{near}`?" if near else "the path starts at the folder of this file"
    yield Diagnostic("E1601", "reference", "error", f"there is no file `{reference.path}`", reference.span, help=way)


def _no_python(source: Source, error: Unreadable) -> Diagnostic:
    lines = literals.Lines(source.text)
    start = lines.character(error.line, error.column) if error.line else 0
    return Diagnostic(
        "W0942",
        "python-syntax",
        "warning",
        "the prompts of this file cannot be checked: it is no valid Python",
        Span(start, min(start + 1, len(source.text))),
        error.reason,
        help="correct the file, or check it with the Python version that it is written for",
    )


_DYNAMIC: dict[type[ast.expr], tuple[str, str]] = {
    ast.JoinedStr: (
        "an f-string is filled before promptc sees it",
        "write the expressions as placeholders: `promptc migrate --from fstring` does it",
    ),
    ast.BinOp: ("this text is put together when the program runs", "write one literal with placeholders for the parts"),
}


def _dynamic(module: Module, node: ast.expr, kind: str) -> Diagnostic:
    label, way = _DYNAMIC.get(
        type(node), ("its text is known only when the program runs", "write the prompt as a literal")
    )
    spelt = type(node) in _DYNAMIC or type(node).__name__ == "TemplateStr"
    if type(node).__name__ == "TemplateStr":
        label, way = "a t-string is filled before promptc sees it", "leave the `t` out"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        label = "its place inside an f-string cannot be told"
    elif isinstance(node, ast.Constant):
        spelt, label, way = True, f"this is {_kind(node.value)}, not a text", "write a plain string literal"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "join"):
        spelt, label, way = True, *_DYNAMIC[ast.BinOp]
    what = "this path" if kind == "file" else "this prompt"
    return Diagnostic(
        "W0941",
        "dynamic-prompt",
        "warning" if spelt else "note",
        f"{what} cannot be checked: it is no literal",
        module.lines.span(node),
        label,
        help=way,
    )


def _kind(value: object) -> str:
    names = {bytes: "bytes", bool: "a truth value", int: "a number", float: "a number", complex: "a number"}
    return names.get(type(value), "`None`" if value is None else "something else")
