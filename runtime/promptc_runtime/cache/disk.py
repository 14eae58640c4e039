"""Results on disk: one safetensors file each, checksummed, and written whole or not at all.

A file that cannot be read, or that holds other bytes than were written, is a miss and is removed. Nothing else than
tensors can be read back.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

LAYOUT = "results-1"
STALE = 3600.0
"""Seconds after which an unfinished file was left behind by a run that is no more."""


class Disk:
    """At most `limit` bytes under `folder`, least recently used ones dropped first. Several processes may share it."""

    def __init__(self, folder: Path, limit: int, note: Callable[[str], None] = lambda text: None) -> None:
        self.folder = folder / LAYOUT
        self.limit = limit
        self._note = note
        self._size: int | None = None
        self._broken = False

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.safetensors"

    def get(self, key: str) -> Tensor | None:
        """The tensor kept under a key, on the CPU."""
        from safetensors import SafetensorError, safe_open

        path = self.path(key)
        if not path.is_file():
            return None
        try:
            with safe_open(path, "pt") as file:
                said = file.metadata() or {}
                value: Tensor = file.get_tensor("value")
            # A copy of its own: the file may be removed or replaced while the tensor lives.
            value = value.clone()
            if said.get("checksum") != checksum(key, value):
                raise ValueError("other bytes than were written")
        except (OSError, ValueError, SafetensorError, RuntimeError):
            self._remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the order of use
        return value

    def put(self, key: str, value: Tensor) -> None:
        """Keep a tensor. A disk that cannot be written is said once, and then left alone."""
        if self._broken:
            return
        from safetensors.torch import save

        value = value.detach().to("cpu").contiguous()
        data = save({"value": value}, {"checksum": checksum(key, value)})
        if len(data) > self.limit:
            return
        path = self.path(key)
        temporary = path.with_name(f".{secrets.token_hex(6)}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(data)
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            self._broken = True
            self._note(f"the cache {self.folder} cannot be written ({error.strerror or error}); going on without it")
            return
        if self._size is None:
            self._size = self.trim()
        else:
            self._size += len(data)
        if self._size > self.limit:
            self._size = self.trim()

    def trim(self) -> int:
        """Remove what was used longest ago, down to nine tenths of the limit, where it is passed. The bytes left."""
        kept: list[tuple[float, int, Path]] = []
        for path in self.folder.glob("*/*"):
            with contextlib.suppress(OSError):
                found = path.stat()
                if path.suffix == ".part":
                    if time.time() - found.st_mtime > STALE:
                        self._remove(path)
                else:
                    kept.append((found.st_mtime, found.st_size, path))
        size = sum(entry[1] for entry in kept)
        if size > self.limit:
            for _, length, path in sorted(kept):
                if size <= self.limit * 0.9:
                    break
                self._remove(path)
                size -= length
        return size

    def _remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()


def checksum(key: str, value: Tensor) -> str:
    """Over the key, the shape, the type and the bytes."""
    import torch

    sums = hashlib.blake2b(f"{key} {value.dtype} {tuple(value.shape)} ".encode(), digest_size=16)
    sums.update(value.contiguous().flatten().view(torch.uint8).numpy().data)
    return sums.hexdigest()


def default_folder() -> Path:
    """The user's cache folder for promptc; `PROMPTC_CACHE` names another."""
    if named := os.environ.get("PROMPTC_CACHE"):
        return Path(named)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "promptc" / "Cache"
    if os.uname().sysname == "Darwin":
        return Path.home() / "Library" / "Caches" / "promptc"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "promptc"
