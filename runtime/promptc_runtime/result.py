"""What a run returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from promptc.plan.op import Ref

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Timing:
    """How long an op took. `cached` results were read, not computed; the ops of a batch share their time evenly."""

    op: str
    seconds: float
    cached: bool


@dataclass(frozen=True, slots=True)
class Event:
    """Something that was done: when it began and ended, in seconds from the start of the run, and for which ops."""

    name: str
    ops: tuple[Ref, ...]
    start: float
    end: float
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a run.

    `images`: one for each picture of the plan's outputs, in their order, [3, height, width], float32 in 0..1, sRGB.
    An output that is a file gives the image it was encoded from. `seeds` are theirs. `files` are the paths written.
    `values` has the results of the outputs themselves. `timings` has every op that was computed or read. `notes` say
    what the user should know and is no error.
    """

    images: tuple[torch.Tensor, ...]
    seeds: tuple[int | None, ...]
    files: tuple[Path, ...]
    values: Mapping[Ref, object]
    timings: Mapping[Ref, Timing]
    trace: tuple[Event, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    seed_of: Mapping[Path, int | None] = field(default_factory=dict)
    """The seed of the picture in each file."""


class Interrupted(KeyboardInterrupt):
    """A run that was stopped by hand. Every file in `files` is whole; what was computed is in the cache, if there is one."""

    def __init__(self, files: tuple[Path, ...], pictures: int, wanted: int) -> None:
        super().__init__()
        self.files = files
        self.pictures = pictures
        self.wanted = wanted
