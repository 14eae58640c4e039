"""The rows of `promptc bench`: one module each, with `run() -> BenchResult`.

A row measures ours and a baseline in the same run on the same machine; only the ratio says something elsewhere.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast


@dataclass(frozen=True)
class BenchResult:
    """One row. `baseline` and `ours` are in `unit`; `ratio` says how many times as good ours is.

    `details` has further figures by name, in the same unit where they are numbers; a text says why one is missing.
    """

    name: str
    baseline: float
    ours: float
    ratio: float
    published_ratio: float | None = None
    unit: str = "s"
    details: Mapping[str, float | str] = field(default_factory=dict)


def names() -> list[str]:
    """The rows there are."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def run(name: str) -> BenchResult:
    """Measure one row. Raises KeyError for a name that is none."""
    if name not in names():
        raise KeyError(name)
    module = importlib.import_module(f"{__name__}.{name}")
    return cast(BenchResult, module.run())
