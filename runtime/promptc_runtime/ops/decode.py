"""Latents -> image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from promptc.plan.ops.decode import Decode
from promptc_runtime.context import RunError
from promptc_runtime.ops.denoise import circular

if TYPE_CHECKING:
    from torch import Tensor

    from promptc_runtime.context import Context
    from promptc_runtime.models import Model


def batch_size(op: Decode, context: Context) -> int:
    """One: decoding in one call saves no time, and takes the memory of all."""
    return 1


def run(op: Decode, inputs: Sequence[object], context: Context) -> Tensor:
    """[3, height, width], float32 in 0..1. Raises RunError `non-finite-image`."""
    import torch
    from torch import Tensor

    (latents,) = inputs
    assert isinstance(latents, Tensor)
    model = context.model(op.model)
    image = _decode(latents, model, op.tile)
    # Half precision can overflow in the decoder, and would give a black picture.
    if not bool(torch.isfinite(image).all()) and model.dtype != torch.float32:
        context.note(f"{op.model} decoded to values that are no numbers in {model.dtype}; once more in float32")
        image = _decode(latents, model.full, op.tile)
    if not bool(torch.isfinite(image).all()):
        raise RunError("non-finite-image", f"{op.model} decoded to values that are no numbers; nothing of it is kept")
    return image.add_(1).mul_(0.5).clamp_(0, 1)[0].contiguous()


def _decode(latents: Tensor, model: Model, tile: bool) -> Tensor:
    """[1, 3, height, width], float32, about -1..1."""
    import torch

    vae = model.vae
    factor, shift = scaling(vae.config)
    scaled = latents.unsqueeze(0).to(model.device) / factor
    if shift:
        scaled = scaled + shift
    scaled = scaled.to(model.dtype).contiguous(memory_format=torch.channels_last)
    with circular(vae, tile):
        decoded: Tensor = vae.decode(scaled, return_dict=False)[0]
    return decoded.float()


def scaling(config: Any) -> tuple[float, float]:
    """What an autoencoder's latents are multiplied by, and moved by, for the UNet."""
    return float(getattr(config, "scaling_factor", 1.0)), float(getattr(config, "shift_factor", None) or 0.0)
