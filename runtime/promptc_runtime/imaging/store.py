"""Whole files or none: a temporary name in the same folder, written to disk, then renamed."""

import hashlib
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MAX_PATH = 259 if os.name == "nt" else 4095
"""Letters of a whole path on this system."""


class StoreError(OSError):
    """A file that cannot be written; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A file on disk. `fresh` is false when the same bytes were there before."""

    path: Path
    sha256: str
    size: int
    fresh: bool


def check(directory: Path, names: Iterable[str], longest: int = MAX_PATH) -> None:
    """Whether files of these names can be written into a folder: to be asked before a picture is made.

    Raises StoreError for a path that is too long, and for a folder that is none or cannot be written.
    """
    whole = Path(os.path.abspath(directory))
    for name in names:
        length = len(str(whole / name)) + len("-999")
        if length > longest:
            raise StoreError(
                f"path-too-long: {whole / name} has {length} letters, more than the {longest} of this system; "
                "choose a folder with a shorter path"
            )
    nearest = next(folder for folder in (whole, *whole.parents) if folder.exists())
    if not nearest.is_dir():
        raise StoreError(f"{nearest} is a file; choose another folder for the pictures")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise StoreError(f"{nearest} cannot be written; choose another folder for the pictures")


def store(data: bytes, directory: Path, name: str) -> Stored:
    """Write `data` as `directory/name`, and make the folder.

    The same bytes under that name are kept as they are; other bytes are never overwritten: the file is then called
    `name-2`, `name-3`, … Raises StoreError.
    """
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        raise StoreError(f"{name!r} is no file name")
    digest = hashlib.sha256(data).hexdigest()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        temporary = directory / f".{digest[:16]}-{secrets.token_hex(4)}.part"
        try:
            # Looked at before anything is written: making a picture again costs no write.
            target, same = _free(directory, name, data)
            if same:
                return Stored(target, digest, len(data), False)
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            while not _claim(temporary, target):
                target, same = _free(directory, name, data)
                if same:
                    return Stored(target, digest, len(data), False)
        finally:
            temporary.unlink(missing_ok=True)
        _sync(directory)
    except OSError as error:
        raise StoreError(f"{directory / name} cannot be written: {(error.strerror or str(error)).lower()}") from None
    return Stored(target, digest, len(data), True)


def _free(directory: Path, name: str, data: bytes) -> tuple[Path, bool]:
    """The first name that is free, or that already holds these bytes."""
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        stem, suffix = name, ""
    number = 1
    while True:
        target = directory / (name if number == 1 else f"{stem}-{number}{dot}{suffix}")
        if not target.is_symlink() and not target.exists():
            return target, False
        if target.is_file() and target.stat().st_size == len(data) and target.read_bytes() == data:
            return target, True
        number += 1


def _claim(temporary: Path, target: Path) -> bool:
    """Give the finished file its name, unless another writer took it in the meantime."""
    try:
        # A hard link fails when the name exists, where a rename would overwrite.
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError:
        # File systems without hard links: the name is reserved first, then replaced.
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        try:
            os.replace(temporary, target)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
    return True


def _sync(directory: Path) -> None:
    """Write the folder's entry to disk, where the system lets a folder be opened."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
