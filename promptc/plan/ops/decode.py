"""Latents -> image."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from promptc.plan.op import Op, Type, expect


class Decode(Op):
    """Decode latents with the model's autoencoder. Result: image [3, height, width], float32 in 0..1, sRGB."""

    op: Literal["decode"] = "decode"
    model: str
    tile: bool = False

    batchable: ClassVar[bool] = True


def infer(op: Decode, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "latents")
    return Type(kind="image", width=inputs[0].width, height=inputs[0].height)
