"""A project: which files are checked, and what `[tool.promptc]` in its pyproject.toml declares."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from promptc.suggest import nearest

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

SUFFIXES = (".prompt", ".py")
"""What a folder is searched for. Other files (`.txt`) are checked when they are named."""

_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "env", "build", "dist"})
_KEYS: dict[str, type | tuple[type, ...]] = {
    "target": str,
    "networks": (list, str),
    "embeddings": (list, str),
    "models": (list, str),
    "wildcards": str,
    "steps": int,
    "ignore": list,
    "exclude": list,
    "plugins": list,
}


class ConfigError(Exception):
    """`[tool.promptc]` cannot be used; the message names the file, the key and the way out."""


@dataclass(frozen=True, slots=True)
class Config:
    """`[tool.promptc]`. A list that is None was not declared, so nothing is checked against it.

    `networks`, `embeddings` and `models` are names, or one folder to scan for `.safetensors` files; `wildcards` is a
    folder. Paths are relative to `root`, the folder of the pyproject.toml. `ignore` holds codes or names of rules,
    `plugins` entry points of `promptc.rules`.
    """

    root: Path
    target: str | None = None
    networks: tuple[str, ...] | None = None
    embeddings: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    wildcards: Path | None = None
    steps: int | None = None
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()


def find(start: Path) -> Config:
    """The configuration in force at `start`: the nearest pyproject.toml above it that has one. Raises ConfigError."""
    start = start.resolve()
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            data = path.read_bytes()
            if b"[tool.promptc" in data:
                return _read(path, data)
    return Config(start)


def _read(path: Path, data: bytes) -> Config:
    import tomllib  # only a project that is configured pays for it

    try:
        table = tomllib.loads(data.decode("utf-8")).get("tool", {}).get("promptc", {})
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    for key, value in table.items():
        if key not in _KEYS:
            close = nearest(key, list(_KEYS))
            way = f"did you mean '{close}'?" if close else f"known are {', '.join(_KEYS)}"
            raise ConfigError(f"{path}: [tool.promptc] has an unknown key '{key}'; {way}")
        if not isinstance(value, _KEYS[key]) or (
            isinstance(value, list) and not all(isinstance(x, str) for x in value)
        ):
            raise ConfigError(f"{path}: [tool.promptc] {key} must be {_wanted(key)}, and is {value!r}")
    root = path.parent
    return Config(
        root=root,
        target=table.get("target"),
        networks=_names(root, table.get("networks")),
        embeddings=_names(root, table.get("embeddings")),
        models=_names(root, table.get("models")),
        wildcards=root / table["wildcards"] if "wildcards" in table else None,
        steps=table.get("steps"),
        ignore=tuple(table.get("ignore", ())),
        exclude=tuple(table.get("exclude", ())),
        plugins=tuple(table.get("plugins", ())),
    )


def _wanted(key: str) -> str:
    kind = _KEYS[key]
    return {str: "a text", int: "a whole number", list: "a list of texts"}.get(kind, "a list of names or a folder")  # type: ignore[arg-type]


def _names(root: Path, value: Any) -> tuple[str, ...] | None:
    """Declared names, or those of the weights in a folder, relative to it and without their suffix."""
    if value is None or isinstance(value, list):
        return None if value is None else tuple(value)
    folder = root / value
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder; [tool.promptc] names it")
    return tuple(sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.safetensors")))


def discover(paths: Sequence[str], exclude: Sequence[str] = ()) -> Iterator[Path]:
    """The files that `paths` mean: files as named, folders searched, hidden and installed folders left out."""
    seen: set[Path] = set()
    for path in map(Path, paths):
        for found in _search(path, exclude) if path.is_dir() else (path,):
            if found not in seen:
                seen.add(found)
                yield found


def _search(folder: Path, exclude: Sequence[str]) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        here = Path(root)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED
            and not (here / name / "pyvenv.cfg").exists()
            and not _excluded(here / name, exclude)
        )
        for name in sorted(files):
            path = here / name
            if path.suffix in SUFFIXES and not _excluded(path, exclude):
                yield path


def _excluded(path: Path, patterns: Sequence[str]) -> bool:
    return any(path.match(pattern) for pattern in patterns)
