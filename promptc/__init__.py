"""promptc: a compiler for image prompts.

The public names, each imported when it is first used, so that `import promptc` costs next to nothing:

- `prompt`, `Template`, `Prompt`, `Image`, `Ratio`: prompts in Python, and what stands in their placeholders;
- `compile`, `Plan`: a prompt as a plan; `run`, `Runtime`, `Result`: a plan as pictures (needs the `run` extra);
- `Diagnostic`, `PromptError`, `BindError`, `PlanError`: what can be wrong.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from promptc.api import compile as compile  # noqa: A004
    from promptc.diagnostic import Diagnostic as Diagnostic
    from promptc.errors import BindError as BindError
    from promptc.errors import PromptError as PromptError
    from promptc.plan.plan import Plan as Plan
    from promptc.plan.verify import PlanError as PlanError
    from promptc.template import Prompt as Prompt
    from promptc.template import Template as Template
    from promptc.template import prompt as prompt
    from promptc.values import Image as Image
    from promptc.values import Ratio as Ratio
    from promptc_runtime.engine import Runtime as Runtime
    from promptc_runtime.engine import run as run
    from promptc_runtime.result import Result as Result

_HOME = {
    "prompt": "promptc.template",
    "Template": "promptc.template",
    "Prompt": "promptc.template",
    "Image": "promptc.values",
    "Ratio": "promptc.values",
    "compile": "promptc.api",
    "run": "promptc_runtime.engine",
    "Plan": "promptc.plan.plan",
    "Runtime": "promptc_runtime.engine",
    "Result": "promptc_runtime.result",
    "Diagnostic": "promptc.diagnostic",
    "PromptError": "promptc.errors",
    "BindError": "promptc.errors",
    "PlanError": "promptc.plan.verify",
}

__all__ = [
    "BindError",
    "Diagnostic",
    "Image",
    "Plan",
    "PlanError",
    "Prompt",
    "PromptError",
    "Ratio",
    "Result",
    "Runtime",
    "Template",
    "compile",
    "prompt",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'promptc' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
