"""What a check knows of the project: declared names, the target, folders. Nothing here is read from a prompt."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass
    from pathlib import Path
else:
    from promptc.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a check. A collection that is None was not declared, so nothing is checked against it.

    `root` is where relative image paths start, `wildcards` the folders that wildcard names are looked up in.
    `weights` limits emphasis where the target's own limits are not wanted.
    `steps` is the run length that switch points are judged by; a prompt's own `--steps` wins,
    and without either it is the target's.
    `ignore` holds codes or names of rules that are switched off; `plugins` entry points of `promptc.rules` to load.
    """

    root: "Path | None" = None
    target: str | None = None
    networks: tuple[str, ...] | None = None
    embeddings: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    wildcards: "tuple[Path, ...] | None" = None
    steps: int | None = None
    weights: tuple[float, float] | None = None
    schemes: tuple[str, ...] = ("https",)
    ignore: frozenset[str] = frozenset()
    plugins: tuple[str, ...] = ()


DEFAULT = Settings()

EMBEDDED = "landscape"
"""The model of a prompt that names none, in a project that names none: it comes with the runtime."""

DEFAULT_TARGET = "sd15"
"""Whose tokens are counted, and whose limits are told, where nothing says what a prompt is for."""
