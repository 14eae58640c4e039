"""Checkpoints: folders in the layout of diffusers, safetensors only."""

from promptc_runtime.models.checkpoint import Model, Models
from promptc_runtime.models.folder import digest, locate

__all__ = ["Model", "Models", "digest", "locate"]
