"""The classes of diffusers and transformers that the model is made of.

Their annotations do not survive their lazy imports, so a type checker sees them as `Any`; the aliases say what is meant.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import nn

_diffusers: Any = import_module("diffusers")
_transformers: Any = import_module("transformers")

Autoencoder = Any
"""An `AutoencoderTiny`."""
UNet = Any
"""A `UNet2DConditionModel`."""
TextEncoder = Any
"""A `CLIPTextModel`."""
Tokenizer = Any
"""A `CLIPTokenizer`."""
Scheduler = Any
"""A `DDIMScheduler`."""
Pipeline = Any
"""A `StableDiffusionPipeline`."""

AutoencoderTiny = _diffusers.AutoencoderTiny
UNet2DConditionModel = _diffusers.UNet2DConditionModel
DDIMScheduler = _diffusers.DDIMScheduler
StableDiffusionPipeline = _diffusers.StableDiffusionPipeline
CLIPTextModel = _transformers.CLIPTextModel
CLIPTextConfig = _transformers.CLIPTextConfig
CLIPTokenizer = _transformers.CLIPTokenizer

Network = TypeVar("Network", bound=nn.Module)


def channels_last(network: Network) -> Network:
    """The same network with its weights laid out for the processor's convolutions."""
    layout: Any = {"memory_format": torch.channels_last}
    moved: Network = network.to(**layout)
    return moved


def open_autoencoder(folder: Path) -> Autoencoder:
    """The autoencoder of a diffusers folder, float32."""
    return channels_last(AutoencoderTiny.from_pretrained(folder / "vae", torch_dtype=torch.float32))


def open_pipeline(folder: Path) -> Pipeline:
    """The folder as diffusers loads it: float32, no progress bar."""
    pipeline = StableDiffusionPipeline.from_pretrained(folder, local_files_only=True, torch_dtype=torch.float32)
    pipeline.set_progress_bar_config(disable=True)
    return pipeline
