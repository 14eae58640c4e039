"""The printers of a plan, one module each: `write(plan) -> str`. A new one is a new file here."""

import importlib
import pkgutil

from promptc.plan.plan import Plan


def names() -> list[str]:
    """The names of the printers, sorted."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__))


def write(plan: Plan, name: str) -> str:
    """Print a plan. Raises ValueError for an unknown printer."""
    if name not in names():
        raise ValueError(f"unknown printer {name}; known are {', '.join(names())}")
    text: str = importlib.import_module(f"{__name__}.{name}").write(plan)
    return text
