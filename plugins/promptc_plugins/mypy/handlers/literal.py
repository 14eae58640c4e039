"""`prompt("…")`: called with what its placeholders ask for."""

from functools import lru_cache

from mypy.plugin import MethodContext
from mypy.types import Instance, Type, get_proper_type

from promptc.context import Context, infer
from promptc.parse import parse
from promptc_plugins.mypy.report import report
from promptc_plugins.mypy.signature import parameters
from promptc_plugins.mypy.text import text_of


def prompt(ctx: MethodContext) -> Type:
    """`PromptFunction[...]` with the placeholders in place of `...`; as it is for a prompt with errors."""
    text = text_of(ctx)
    if text is None or report(ctx, text, None):
        return ctx.default_return_type
    return called_with(ctx, context_of(text.value))


def called_with(ctx: MethodContext, context: Context) -> Type:
    declared = get_proper_type(ctx.default_return_type)
    if not isinstance(declared, Instance) or len(declared.args) != 1:
        return ctx.default_return_type
    return declared.copy_modified(args=[parameters(ctx, context)])


@lru_cache(maxsize=512)
def context_of(text: str) -> Context:
    return infer(parse(text, comments="\n" in text))
