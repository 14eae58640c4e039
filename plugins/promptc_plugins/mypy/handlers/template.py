"""`Template[Context]("…")`: its placeholders are fields of its context."""

from mypy.plugin import FunctionContext
from mypy.types import Instance, Type, get_proper_type

from promptc_plugins.mypy.report import report
from promptc_plugins.mypy.signature import fields
from promptc_plugins.mypy.text import text_of

_NAME = "promptc.template.Template"


def template(ctx: FunctionContext) -> Type:
    """Checks the literal; the type needs no help, as a template is called with its context."""
    made = get_proper_type(ctx.default_return_type)
    text = text_of(ctx)
    if text is None or not isinstance(made, Instance):
        return ctx.default_return_type
    base = next((base for base in made.type.mro if base.fullname == _NAME), None)
    if base is None:
        return ctx.default_return_type
    from mypy.maptype import map_instance_to_supertype

    arguments = map_instance_to_supertype(made, base).args
    context = fields(arguments[0]) if arguments else None
    report(ctx, text, context)
    return ctx.default_return_type
