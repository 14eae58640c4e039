"""Results in memory, least recently used ones dropped first."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class Memory:
    """At most `limit` bytes of tensors. One that is larger by itself is not kept."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._kept: OrderedDict[str, Tensor] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> Tensor | None:
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: str, value: Tensor) -> None:
        if key in self._kept:
            self.size -= self._kept.pop(key).nbytes
        if value.nbytes > self.limit:
            return
        self._kept[key] = value
        self.size += value.nbytes
        while self.size > self.limit:
            _, dropped = self._kept.popitem(last=False)
            self.size -= dropped.nbytes
