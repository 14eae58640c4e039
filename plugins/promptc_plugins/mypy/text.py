"""The text that a call is given, and the places of its characters in the source."""

import ast
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mypy.nodes import Context, Expression, NameExpr, RefExpr, StrExpr, Var
from mypy.types import Instance, LiteralType, get_proper_type
from mypy.types import Type as MypyType

from promptc.source import Fragment, NotUtf8, Span, decode
from promptc_plugins.mypy.guard import Call
from promptc_plugins.python_source.literals import Literal, read
from promptc_plugins.python_source.modules import Module, Unreadable, literal_of, parse


@dataclass(frozen=True)
class Text:
    """The text of a call's first argument, and the expression that gives it."""

    value: str
    node: Expression


def text_of(ctx: Call) -> Text | None:
    """The text of the first argument: a literal, or a name that holds one. None where the program makes it."""
    if not ctx.args or len(ctx.args[0]) != 1:
        return None
    node, kind = ctx.args[0][0], ctx.arg_types[0][0]
    value = _literal(kind)
    if value is None and isinstance(node, RefExpr):
        value = _final(node)
    if value is None and isinstance(node, NameExpr):
        value = _constant(ctx, node)
    return None if value is None else Text(value, node)


def _literal(kind: MypyType) -> str | None:
    proper = get_proper_type(kind)
    if isinstance(proper, Instance) and proper.last_known_value is not None:
        proper = proper.last_known_value
    return proper.value if isinstance(proper, LiteralType) and isinstance(proper.value, str) else None


def _final(node: RefExpr) -> str | None:
    """The value of a `Final[str]`, whose type does not hold it."""
    value = node.node.final_value if isinstance(node.node, Var) else None
    return value if isinstance(value, str) else None


def _constant(ctx: Call, node: NameExpr) -> str | None:
    """The value of a constant of the same module that is no Final: a literal that is assigned once."""
    module = _module(ctx.api.path)
    for call, scope in module.scan.calls if module else ():
        argument = call.args[0] if call.args else None
        if module and call.lineno == ctx.context.line and isinstance(argument, ast.Name) and argument.id == node.name:
            literal = literal_of(module, argument, scope)
            return None if literal is None else literal.text
    return None


def places(ctx: Call, text: Text, span: Span) -> Context:
    """The place of `text.value[span]` inside its literal; the whole expression where that is not known."""
    literal = _spelt(ctx.api.path, text) if isinstance(text.node, StrExpr) else None
    if literal is None:
        return text.node
    where = Fragment(literal.origin, literal.text, literal).span(span.start, span.end)
    start, end = literal.origin.position(where.start), literal.origin.position(where.end)
    place = Context(start.line, start.column - 1)
    place.end_line, place.end_column = end.line, end.column - 1
    return place


def _spelt(path: str, text: Text) -> Literal | None:
    """The literal that mypy's expression was made from.

    It is known by its line and its value: mypy's columns count bytes or less on a line that is not ASCII.
    """
    module = _module(path)
    for node in ast.walk(module.tree) if module else ():
        if module and isinstance(node, ast.Constant) and node.value == text.value and node.lineno == text.node.line:
            return read(module.source, module.lines, node)
    return None


def _module(path: str) -> Module | None:
    try:
        stat = Path(path).stat()
        return _parsed(path, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return None


@lru_cache(maxsize=8)
def _parsed(path: str, _mtime: int, _size: int) -> Module | None:
    try:
        return parse(decode(Path(path).read_bytes(), path))
    except (OSError, NotUtf8, Unreadable):
        return None
