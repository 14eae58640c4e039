"""Writes the parts as the folder that ships: diffusers' layout, float16 safetensors, nothing that names this machine."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from landscape.base import Model

LIMIT = 12_000_000
"""Bytes that the whole folder may take."""
PRIVATE = ("_name_or_path", "local_files_only", "is_local")

INDEX: dict[str, object] = {
    "_class_name": "StableDiffusionPipeline",
    "feature_extractor": [None, None],
    "image_encoder": [None, None],
    "requires_safety_checker": False,
    "safety_checker": [None, None],
    "scheduler": ["diffusers", "DDIMScheduler"],
    "text_encoder": ["transformers", "CLIPTextModel"],
    "tokenizer": ["transformers", "CLIPTokenizer"],
    "unet": ["diffusers", "UNet2DConditionModel"],
    "vae": ["diffusers", "AutoencoderTiny"],
}


def write(model: Model, folder: Path) -> int:
    """Writes the folder and returns its size in bytes; raises `ValueError` when it is over `LIMIT`.

    Files that others keep there (a README, sheets) stay.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, Any] = {
        "tokenizer": model.tokenizer,
        "text_encoder": model.text,
        "unet": model.unet,
        "vae": model.vae,
        "scheduler": model.scheduler,
    }
    for name, part in parts.items():
        with tempfile.TemporaryDirectory() as place:
            part.save_pretrained(place)
            for file in sorted(Path(place).iterdir()):
                target = folder / name / file.name
                target.parent.mkdir(exist_ok=True)
                if file.suffix == ".safetensors":
                    tensors = load_file(file)
                    save_file({k: _half(t) for k, t in tensors.items()}, target, metadata={"format": "pt"})
                elif file.suffix == ".json":
                    target.write_text(_clean(file.read_text(encoding="utf-8")), encoding="utf-8")
                else:
                    target.write_bytes(file.read_bytes())
                target.chmod(0o644)
    (folder / "model_index.json").write_text(json.dumps(INDEX, indent=2) + "\n")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    if size > LIMIT:
        raise ValueError(f"{folder} takes {size} bytes; at most {LIMIT} may ship")
    return size


def write_checkpoint(parts: Mapping[str, nn.Module], folder: Path, minutes: float, step: int) -> None:
    """A small checkpoint that `Stage.load` takes up: the averaged weights in half precision, no optimizer."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"average.{part}.{k}": _half(p.detach()) for part, m in parts.items() for k, p in m.named_parameters()}
    save_file(tensors, folder / "state.safetensors")
    (folder / "state.safetensors").chmod(0o644)
    state = {"step": step, "minutes": minutes, "run_minutes": 0.0, "budget": 0.0}
    (folder / "state.json").write_text(json.dumps(state) + "\n")


def _half(tensor: torch.Tensor) -> torch.Tensor:
    return (tensor.half() if tensor.is_floating_point() else tensor).contiguous()


def _clean(text: str) -> str:
    values = json.loads(text)
    for key in PRIVATE:
        values.pop(key, None)
    if "dtype" in values:
        values["dtype"] = "float16"
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"
