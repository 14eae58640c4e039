"""Results of ops, kept under keys that name everything they depend on: in memory, and on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from promptc_runtime.cache.disk import Disk
from promptc_runtime.cache.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

__all__ = ["Cache", "Disk", "Memory"]


class Cache:
    """Memory before disk; either may be left out. What is given out is shared, and must not be changed."""

    def __init__(self, memory: Memory | None = None, disk: Disk | None = None) -> None:
        self.memory = memory
        self.disk = disk

    def get(self, key: str) -> Tensor | None:
        if self.memory is not None and (found := self.memory.get(key)) is not None:
            return found
        if self.disk is not None and (found := self.disk.get(key)) is not None:
            if self.memory is not None:
                self.memory.put(key, found)
            return found
        return None

    def put(self, key: str, value: Tensor) -> None:
        if self.memory is not None:
            self.memory.put(key, value)
        if self.disk is not None:
            self.disk.put(key, value)


def open_cache(folder: Path | None, memory: int, disk: int, note: Callable[[str], None]) -> Cache:
    """A cache with limits in bytes; without a folder it is in memory only."""
    return Cache(Memory(memory) if memory else None, Disk(folder, disk, note) if folder is not None else None)
