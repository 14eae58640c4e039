"""Is this really a safetensors file? Only its content decides, never its name. There is no other loader."""

import json
from pathlib import Path

from promptc_runtime.context import RunError

MAX_HEADER = 100_000_000
"""Bytes; the limit of the format's own reader."""


def check(path: Path) -> None:
    """Read the header of a file of weights. Raises RunError `bad-weights-file` or `unsafe-weights`, naming the path."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(512)
            length = int.from_bytes(start[:8], "little")
            if size > 8 and length <= min(size - 8, MAX_HEADER):
                file.seek(8)
                header = file.read(length)
                if _is_header(header, size - 8 - length):
                    return
    except OSError as error:
        raise RunError("bad-weights-file", f"{path} cannot be read: {error.strerror or error}") from None
    if _is_pickle(start):
        raise RunError(
            "unsafe-weights",
            f"{path} holds a pickle, which can run any code when it is loaded; convert it to safetensors",
        )
    raise RunError("bad-weights-file", f"{path} is no safetensors file: it {_looks(start, size, length)}")


def _is_header(header: bytes, data: int) -> bool:
    """Whether it describes tensors that lie within `data` bytes."""
    try:
        entries = json.loads(header)
        return isinstance(entries, dict) and all(
            0 <= entry["data_offsets"][0] <= entry["data_offsets"][1] <= data
            for name, entry in entries.items()
            if name != "__metadata__"
        )
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return False


def _is_pickle(start: bytes) -> bool:
    """A pickle (protocol 2 and later), or the zip archive and the older magic number of torch.save."""
    return start[:1] == b"\x80" or start[:4] == b"PK\x03\x04"


def _looks(start: bytes, size: int, length: int) -> str:
    text = start.lstrip().lower()
    if text.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        return "looks like an HTML page; the download probably answered with a web page, so fetch the file again"
    if size <= 8:
        return f"has only {size} bytes"
    if length > size - 8 and length <= MAX_HEADER:
        return f"has {size} bytes and a header that says {length}; the download probably broke off, so fetch it again"
    return "has a header that describes no tensors within the file; it is damaged or of another format"
