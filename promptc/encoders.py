"""Text encoders and targets: what reads a prompt, how much of it, and what its run takes by default.

Both are data, `encoders.toml` and `targets.toml` of the grammar package, read when they are first asked for.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from promptc.settings import DEFAULT_TARGET

if TYPE_CHECKING:
    from dataclasses import dataclass

    from promptc.tokens import Vocabulary
else:
    from promptc.frozen import dataclass

Overflow = Literal["truncate", "chunk"]


@dataclass(frozen=True, slots=True)
class Encoder:
    """A text encoder. `window` counts content tokens; `markers` more stand around them.

    Without a `vocabulary` its tokens cannot be counted here.
    """

    name: str
    title: str
    window: int
    markers: int
    weights: bool
    vocabulary: str | None = None

    def known(self) -> "Vocabulary | None":
        """The vocabulary, loaded when it is first asked for. Raises OSError, NotClip."""
        if self.vocabulary is None:
            return None
        from promptc.tokens import named

        return named(self.vocabulary)


@dataclass(frozen=True, slots=True)
class Target:
    """A model family. Sizes are in pixels; `pooled` names the encoders of which one vector is used, not a sequence."""

    name: str
    title: str
    encoders: tuple[Encoder, ...]
    overflow: Overflow
    size: tuple[int, int]
    step: int
    weight: tuple[float, float]
    composition: bool
    schedule: bool
    steps: int
    guidance: float
    rescale: float
    sampler: str
    pooled: tuple[str, ...] = ()

    @property
    def weights(self) -> bool:
        """Whether emphasis acts on every encoder."""
        return all(encoder.weights for encoder in self.encoders)


@cache
def encoders() -> Mapping[str, Encoder]:
    """All encoders by name."""
    return {name: Encoder(name=name, **row) for name, row in _load("encoders").items()}


@cache
def targets() -> Mapping[str, Target]:
    """All targets by name."""
    return {name: _target(name, row) for name, row in _load("targets").items()}


def target(name: str | None) -> Target:
    """A target by name, the default one for None. Raises KeyError: ask `targets()` for the names first."""
    return targets()[DEFAULT_TARGET if name is None else name]


def _target(name: str, row: Mapping[str, Any]) -> Target:
    lists = {key: tuple(value) for key, value in row.items() if isinstance(value, list) and key != "encoders"}
    readers = tuple(encoders()[encoder] for encoder in row["encoders"])
    return Target(**{**row, **lists, "name": name, "encoders": readers})


def _load(name: str) -> dict[str, dict[str, Any]]:
    import tomllib  # only what needs a window or a target pays for it

    from promptc.package import package

    return tomllib.loads((package("promptc_grammar") / f"{name}.toml").read_text("utf-8"))
