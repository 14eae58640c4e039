"""Error codes, and the guard around every hook: a fault of the plug-in is one error, never a crash of mypy."""

from collections.abc import Callable
from functools import wraps
from typing import TypeAlias, TypeVar

from mypy.errorcodes import ErrorCode
from mypy.nodes import Context, Expression
from mypy.plugin import FunctionContext, MethodContext
from mypy.types import Type

PROMPT = ErrorCode("promptc", "Check the text of a prompt", "promptc")
PLACEHOLDER = ErrorCode("promptc-placeholder", "Check the placeholders of a prompt", "promptc")
FILE = ErrorCode("promptc-file", "Check the file that a prompt is read from", "promptc")
INTERNAL = ErrorCode("promptc-internal", "Faults of the promptc plug-in itself", "promptc")

Call: TypeAlias = FunctionContext | MethodContext
C = TypeVar("C", FunctionContext, MethodContext)


def guarded(handler: Callable[[C], Type]) -> Callable[[C], Type]:
    """The handler, with any exception reported at the call and the type that the declaration gives."""

    @wraps(handler)
    def hook(ctx: C) -> Type:
        try:
            return handler(ctx)
        except Exception as error:
            message = f"promptc cannot check this call: {type(error).__name__}: {error}; please report it"
            ctx.api.fail(message, ctx.context, code=INTERNAL)
            return ctx.default_return_type

    return hook


def fail(ctx: Call, message: str, place: Context, origin: Expression | Context, code: ErrorCode) -> None:
    """Report at `place`; a `# type: ignore` on any line of `origin` counts."""
    ctx.api.msg.fail(message, place, code=code, origin_context=origin)
