"""What a model is, as far as a plan needs to know: its family, its own size, its defaults. No weights are read."""

import json
from dataclasses import replace
from os.path import isfile
from pathlib import Path
from typing import Any

from promptc.encoders import Target, targets

FAMILIES = ("landscape", "sd15", "sd21")
"""The targets that the runtime has a pipeline for."""

_WIDTHS = {768: "sd15", 1024: "sd21"}
"""The family by the width of what its UNet is told."""


class UnknownModel(Exception):
    """A model that says too little about itself; `help` is the way out."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help


def target_of(model: str, named: str | None, root: Path) -> Target:
    """What a model is: by the files of its folder, else by its name, else as `named`. Raises UnknownModel."""
    folder = root / Path(model).expanduser()
    if isfile(folder / "model_index.json"):  # of pathlib's own, a name that is too long is an error
        return _read(folder, named)
    name = model if model in targets() else named
    if name is None:
        raise UnknownModel(
            f"there is no model `{model}`",
            f"give the path of a folder with a model_index.json, or say with `target:` which of {', '.join(FAMILIES)} it is",
        )
    if name not in targets():
        raise UnknownModel(f"there is no target `{name}`", f"known are {', '.join(targets())}")
    if name not in FAMILIES:
        raise UnknownModel(
            f"{targets()[name].title} is checked and not run by this version", f"it runs {', '.join(FAMILIES)}"
        )
    return targets()[name]


def _read(folder: Path, named: str | None) -> Target:
    parts = _json(folder / "model_index.json")
    if "text_encoder_2" in parts or not isinstance(parts.get("unet"), list):
        raise UnknownModel(f"{folder} is no Stable Diffusion 1.x or 2.x", f"this version runs {', '.join(FAMILIES)}")
    unet, vae = _json(folder / "unet" / "config.json"), _json(folder / "vae" / "config.json")
    family = named if named in FAMILIES else _WIDTHS.get(unet.get("cross_attention_dim", 0), "sd15")
    found = targets()[family]
    side = unet.get("sample_size")
    blocks = vae.get("block_out_channels") or vae.get("encoder_block_out_channels") or [0] * 4
    if not isinstance(side, int) or not isinstance(blocks, list):
        return found
    pixels = side * 2 ** (len(blocks) - 1)
    return replace(found, size=(pixels, pixels))


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UnknownModel(f"{path} cannot be read", str(error)) from None
    if not isinstance(found, dict):
        raise UnknownModel(f"{path} holds no JSON object", "a diffusers folder has one there")
    return found
