"""What a kernel is given beside its op and its inputs, and the error of a run that cannot go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from promptc.plan.op import Ref, Type
from promptc.plan.plan import Plan
from promptc_runtime.progress import Progress, Silent

if TYPE_CHECKING:
    import torch

    from promptc_runtime.models import Model, Models


class RunError(Exception):
    """A run that cannot go on. `name` is stable; the message says what is wrong and what to do."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of a run. A kernel reads them and changes none.

    `types` has the type of every op of the plan. Relative paths of the plan start at `source`; files go into
    `directory`. `dtype` is the one of the UNet and the autoencoder; conditionings, latents and images are float32 on
    every device. `generator` names this program in a picture's record.
    """

    plan: Plan
    types: Mapping[Ref, Type]
    device: torch.device
    dtype: torch.dtype
    models: Models
    source: Path = Path()
    directory: Path = Path()
    generator: str = "promptc"
    progress: Progress = field(default_factory=Silent)
    note: Callable[[str], None] = lambda text: None
    """Says something to the user that is no error."""

    def model(self, name: str) -> Model:
        """The checkpoint of that name; its parts are loaded when they are first used. Raises RunError."""
        return self.models.load(name, self.source)
