"""`prompt.file("card.prompt")`: called with the parameters that the file declares."""

from pathlib import Path

from mypy.plugin import MethodContext
from mypy.types import Type

from promptc.check import check, locate
from promptc.context import Context, Parameter, infer
from promptc.diagnostic import Diagnostic
from promptc.files import Document, read
from promptc.parse import parse
from promptc.source import Position
from promptc_plugins.mypy.guard import FILE, fail
from promptc_plugins.mypy.handlers.literal import called_with
from promptc_plugins.mypy.report import message
from promptc_plugins.mypy.text import text_of


def prompt_file(ctx: MethodContext) -> Type:
    """`PromptFunction[...]` with the file's parameters; errors of the file are reported at the argument."""
    text = text_of(ctx)
    if text is None or not text.value:
        return ctx.default_return_type
    path = Path(ctx.api.path).parent / text.value
    try:
        document = read(path)
    except OSError as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else (error.strerror or "it cannot be read")
        )
        fail(ctx, f"{text.value}: {reason}", text.node, text.node, FILE)
        return ctx.default_return_type
    found = _errors(document)
    for place, one in found:
        at = f"{text.value}:{place.line}:{place.column}"
        fail(ctx, f"{at}: {message(one)}", text.node, text.node, FILE)
    if found:
        return ctx.default_return_type
    return called_with(ctx, _context(document))


def _errors(document: Document) -> list[tuple[Position, Diagnostic]]:
    found = [*document.problems]
    for unit in document.units:
        inside = check(unit.fragment, context=unit.context, used=None)
        found.extend(locate(one, unit.fragment) for one in inside)
    return [(document.source.position(one.span.start), one) for one in found if one.severity == "error"]


def _context(document: Document) -> Context:
    """The parameters of a file's prompt, and of its negative prompt, which shares them."""
    known: dict[str, Parameter] = {}
    for unit in document.units:
        context = unit.context or infer(parse(unit.fragment.text, comments=unit.fragment.comments))
        for one in context.parameters:
            known.setdefault(one.name, one)
    return Context(document.source.path, tuple(known.values()))
