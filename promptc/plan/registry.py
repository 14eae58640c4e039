"""Finds the ops: the modules of `promptc.plan.ops`, and the module of every `promptc.ops` entry point.

A module from an entry point holds a whole op: its model, `infer`, and the kernel `run` (which imports torch when it is
called, not before). The built-in ops have their kernels in `promptc_runtime.ops`, because the compiler knows no torch.
"""

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from promptc.plan import ops
from promptc.plan.op import Op, Type


@dataclass(frozen=True, slots=True)
class OpSpec:
    """A kind of op: its model, the inference of its type, and the module that defines them."""

    model: type[Op]
    infer: Callable[[Any, Sequence[Type]], Type]
    module: str


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        yield importlib.import_module(info.name)


def _installed() -> Iterator[ModuleType]:
    """The modules of other packages. One that cannot be used is named in a warning, and its ops stay unknown."""
    for point in entry_points(group="promptc.ops"):
        try:
            module = point.load()
            if not isinstance(module, ModuleType) or not callable(getattr(module, "infer", None)):
                raise TypeError(f"{point.value} is no module with a model and `infer`")
        except Exception as error:  # whatever a package does when it is imported
            warnings.warn(f"the ops of {point.value} cannot be used: {error}", stacklevel=1)
        else:
            yield module


@cache
def specs() -> dict[str, OpSpec]:
    """Every known op by name. A name belongs to the first module that claims it, and the built-in ones come first."""
    found: dict[str, OpSpec] = {}
    for module in (*_modules(ops), *_installed()):
        for model in vars(module).values():
            if isinstance(model, type) and issubclass(model, Op) and model.__module__ == module.__name__:
                name = model.model_fields["op"].default
                if name in found:
                    warnings.warn(f"the op {name} of {module.__name__} is {found[name].module}'s already", stacklevel=1)
                    continue
                found[name] = OpSpec(model, module.infer, module.__name__)
    return found
