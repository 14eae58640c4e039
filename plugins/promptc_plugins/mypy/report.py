"""What is wrong with a prompt, as mypy's errors inside the literal."""

from functools import lru_cache

from mypy.errorcodes import ErrorCode

from promptc.check import check
from promptc.context import Context
from promptc.diagnostic import Diagnostic
from promptc.source import Fragment, Source
from promptc_plugins.mypy.guard import PLACEHOLDER, PROMPT, Call, fail
from promptc_plugins.mypy.text import Text, places


def report(ctx: Call, text: Text, context: Context | None) -> bool:
    """Report what would stop the prompt from being made; whether there was anything."""
    found = errors(text.value, context)
    for one in found:
        fail(ctx, message(one), places(ctx, text, one.span), text.node, code(one))
    return bool(found)


@lru_cache(maxsize=512)
def errors(text: str, context: Context | None) -> tuple[Diagnostic, ...]:
    """The errors of a prompt: what `prompt(…)` raises when the program runs. Warnings are for `promptc check`."""
    fragment = Fragment(Source("", text), text, comments="\n" in text)
    return tuple(one for one in check(fragment, context=context, used=None) if one.severity == "error")


def message(found: Diagnostic) -> str:
    """One line of a diagnostic."""
    return "; ".join(filter(None, [f"{found.code} {found.message}", found.help]))


def code(found: Diagnostic) -> ErrorCode:
    return PLACEHOLDER if found.code[1:3] == "09" else PROMPT
