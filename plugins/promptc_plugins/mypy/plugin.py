"""The plug-in's entry: which function of promptc is typed by which handler."""

import re
import sys
from collections.abc import Callable
from typing import Any

from mypy.nodes import TypeInfo
from mypy.plugin import FunctionContext, MethodContext, Plugin, ReportConfigContext
from mypy.types import Type

TESTED = ((2, 4), (3, 0))
"""The versions of mypy that the plug-in is tested with: from the first, below the second."""

_TEMPLATE = "promptc.template.Template"


def plugin(version: str) -> type[Plugin]:
    """The entry that mypy calls. An untested mypy gets a plug-in that does nothing, and one line that says so."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if TESTED[0] <= numbers < TESTED[1]:
        return PromptcPlugin
    (low, high), (end, _) = TESTED
    print(
        f"promptc: the plug-in is tested with mypy {low}.{high} and later below {end}.0, and this is {version}: "
        "it is switched off, and prompts are checked when they are bound",
        file=sys.stderr,
    )
    return Plugin


class PromptcPlugin(Plugin):
    """Dispatches full names to handlers; keeps no state but what it looked up."""

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._templates: dict[str, bool] = {}

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        if not fullname.startswith("promptc.template.Define."):
            return None
        from promptc_plugins.mypy import handlers

        return handlers.METHODS.get(fullname)

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if not self._is_template(fullname):
            return None
        from promptc_plugins.mypy import handlers

        return handlers.TEMPLATE

    def report_config_data(self, ctx: ReportConfigContext) -> Any:
        from promptc_plugins.mypy.version import dependencies

        return dependencies(ctx.path)

    def _is_template(self, fullname: str) -> bool:
        """Whether a called name is `Template`, or a class below it: hooks get the name of the subclass."""
        if fullname == _TEMPLATE:
            return True
        if fullname not in self._templates:
            node = None
            if not fullname.startswith("builtins.") and self._modules is not None:
                found = self.lookup_fully_qualified(fullname)
                node = found.node if found else None
            self._templates[fullname] = isinstance(node, TypeInfo) and node.has_base(_TEMPLATE)
        return self._templates[fullname]
