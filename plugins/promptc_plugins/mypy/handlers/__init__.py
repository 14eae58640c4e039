"""One file for each concept, and the table of what they handle."""

from collections.abc import Callable

from mypy.plugin import FunctionContext, MethodContext
from mypy.types import Type

from promptc_plugins.mypy.guard import guarded
from promptc_plugins.mypy.handlers import file, literal, template

METHODS: dict[str, Callable[[MethodContext], Type]] = {
    "promptc.template.Define.__call__": guarded(literal.prompt),
    "promptc.template.Define.file": guarded(file.prompt_file),
}
TEMPLATE: Callable[[FunctionContext], Type] = guarded(template.template)
