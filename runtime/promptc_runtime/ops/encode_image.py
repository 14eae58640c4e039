"""Image -> latents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from promptc.plan.ops.encode_image import EncodeImage
from promptc_runtime.context import RunError
from promptc_runtime.ops.decode import scaling

if TYPE_CHECKING:
    from torch import Tensor

    from promptc_runtime.context import Context

FAR = 10.0
"""A mean of latents beyond this is no picture's."""


def run(op: EncodeImage, inputs: Sequence[object], context: Context) -> Tensor:
    """[channels, height / 8, width / 8], float32: the mode of the distribution, always computed in float32.

    Raises RunError `non-finite-reference`.
    """
    import torch
    from torch import Tensor

    (image,) = inputs
    assert isinstance(image, Tensor)
    vae = context.model(op.model).full.vae
    pixels = (image.to(context.device, torch.float32) * 2 - 1).unsqueeze(0)
    encoded: Any = vae.encode(pixels.contiguous(memory_format=torch.channels_last), return_dict=False)[0]
    latents: Tensor = encoded.mode() if hasattr(encoded, "mode") and not isinstance(encoded, Tensor) else encoded
    factor, shift = scaling(vae.config)
    latents = (latents - shift) * factor
    if not bool(torch.isfinite(latents).all()) or float(latents.mean().abs()) >= FAR:
        raise RunError("non-finite-reference", f"{op.model} encodes the start picture to values that are no picture's")
    return latents[0].contiguous()
