"""Where a checkpoint lies, what it consists of, and its digest."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from promptc_runtime.context import RunError
from promptc_runtime.models import weights

BUILT_IN = Path(__file__).parent
"""Folder of the checkpoints that come with the package."""

SUFFIXES = frozenset({".json", ".txt", ".safetensors", ".model"})
"""What a checkpoint is read from."""

FAMILY = {"unet": "UNet2DConditionModel", "text_encoder": "CLIPTextModel", "tokenizer": "CLIPTokenizer"}
"""Parts that must be there, with their class, for the Stable Diffusion 1.x and 2.x family."""

PICKLES = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl"})

AUTOENCODERS = frozenset({"AutoencoderKL", "AutoencoderTiny"})


def locate(name: str, source: Path = Path()) -> Path:
    """The folder of a checkpoint: a built-in name, a path (from `source` or absolute), or a repository in the hub cache.

    Nothing is downloaded. Raises RunError `unknown-model`.
    """
    if (BUILT_IN / name / "model_index.json").is_file() and name.isidentifier():
        return BUILT_IN / name
    path = source / Path(name).expanduser()
    if (path / "model_index.json").is_file():
        return path.resolve()
    if path.is_file():
        raise RunError("unknown-model", f"{name} is a single file; a model is a folder with a model_index.json")
    if path.is_dir():
        raise RunError(
            "unknown-model", f"{name} has no model_index.json, so it is no folder in the layout of diffusers"
        )
    if (cached := _in_hub_cache(name)) is not None:
        return cached
    known = ", ".join(sorted(built_in()))
    raise RunError("unknown-model", f"there is no model {name}: built in is {known}, otherwise give a folder's path")


def built_in() -> list[str]:
    """The names of the checkpoints that come with the package."""
    return [path.parent.name for path in BUILT_IN.glob("*/model_index.json")]


def _in_hub_cache(name: str) -> Path | None:
    """`owner/name` in the local cache of the hub's client, if it is there."""
    owner, slash, repository = name.partition("/")
    if not slash or not owner or not repository or "/" in repository or ".." in name:
        return None
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub") / f"models--{owner}--{repository}"
    try:
        revision = (hub / "refs" / "main").read_text().strip()
    except OSError:
        return None
    folder = hub / "snapshots" / revision
    return folder if (folder / "model_index.json").is_file() else None


def index(path: Path) -> dict[str, str]:
    """The class of every part. Raises RunError `unsupported-model` for another family than Stable Diffusion 1.x/2.x."""
    parts = {
        part: entry[1]
        for part, entry in read_json(path / "model_index.json").items()
        if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], str)
    }
    wrong = [f"{part} {parts.get(part, 'missing')}" for part, kind in FAMILY.items() if parts.get(part) != kind]
    if parts.get("vae") not in AUTOENCODERS:
        wrong.append(f"vae {parts.get('vae', 'missing')}")
    if wrong:
        family = "Stable Diffusion 1.x or 2.x"
        raise RunError("unsupported-model", f"{path} is no model of the {family} family: {', '.join(wrong)}")
    return parts


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object. Raises RunError `bad-model-file`."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise RunError("bad-model-file", f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(value, dict):
        raise RunError("bad-model-file", f"{path} does not hold a JSON object")
    return value


def part_files(path: Path, part: str) -> tuple[list[Path], str | None]:
    """The weights of a part that will be loaded, each checked, and their variant (`fp16` when there is nothing else).

    Raises RunError.
    """
    folder = path / part
    stem = "model" if part == "text_encoder" else "diffusion_pytorch_model"
    for variant in (None, "fp16"):
        mark = f".{variant}" if variant else ""
        whole, shards = folder / f"{stem}{mark}.safetensors", folder / f"{stem}.safetensors.index{mark}.json"
        if whole.exists() or whole.is_symlink():
            files = [whole]
        elif shards.is_file():
            names = set(read_json(shards).get("weight_map", {}).values())
            files = sorted(folder / Path(str(name)).name for name in names)
        else:
            continue
        for file in files:
            weights.check(file)
        return files, variant
    pickles = sorted(file.name for file in folder.glob("*") if file.suffix.lower() in PICKLES)
    if pickles:
        what = f"only {', '.join(pickles)}, which is a pickle and can run any code; convert it to safetensors"
        raise RunError("unsafe-weights", f"{folder} has {what}")
    raise RunError("bad-weights-file", f"{folder} has no {stem}.safetensors")


def digest(path: Path, memory: Path | None = None) -> str:
    """BLAKE2b of everything a checkpoint is read from, names included; 32 hex digits.

    A file's hash is used again while its size and time of change stay: in this process, and with a folder `memory`
    in later ones.
    """
    entries = []
    for file in sorted((*path.glob("*"), *path.glob("*/*"))):
        if file.suffix.lower() in SUFFIXES and file.is_file():
            stat = file.stat()
            entries.append((file.relative_to(path).as_posix(), stat.st_size, stat.st_mtime_ns))
    if any((path, *entry) not in _HASHES for entry in entries):
        for name, size, time, found in _recall(memory, path):
            _HASHES.setdefault((path, name, size, time), found)
        for entry in entries:
            if (path, *entry) not in _HASHES:
                _HASHES[(path, *entry)] = _hash(path / entry[0])
        _remember(memory, path, [[*entry, _HASHES[(path, *entry)]] for entry in entries])
    names = json.dumps([[entry[0], _HASHES[(path, *entry)]] for entry in entries])
    return hashlib.blake2b(names.encode(), digest_size=16).hexdigest()


_HASHES: dict[tuple[Path, str, int, int], str] = {}
"""By folder, name in it, size and time of change."""


def _hash(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _note(memory: Path, path: Path) -> Path:
    return memory / f"{hashlib.blake2b(str(path.resolve()).encode(), digest_size=16).hexdigest()}.json"


def _recall(memory: Path | None, path: Path) -> list[tuple[str, int, int, str]]:
    if memory is None:
        return []
    try:
        known = json.loads(_note(memory, path).read_bytes())
        return [(str(name), int(size), int(time), str(found)) for name, size, time, found in known]
    except (OSError, ValueError, TypeError):
        return []


def _remember(memory: Path | None, path: Path, files: list[list[str | int]]) -> None:
    if memory is None:
        return
    note = _note(memory, path)
    temporary = note.with_suffix(f".{os.getpid()}.part")
    try:
        memory.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(files))
        temporary.replace(note)
    except OSError:
        temporary.unlink(missing_ok=True)
