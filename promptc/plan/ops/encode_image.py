"""Image -> latents."""

from collections.abc import Sequence
from typing import Literal

from promptc.plan.op import InvalidOp, Op, Type, expect


class EncodeImage(Op):
    """Encode an image with the model's autoencoder (the mean of its distribution: no noise is drawn)."""

    op: Literal["encode_image"] = "encode_image"
    model: str


def infer(op: EncodeImage, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "image")
    image = inputs[0]
    if image.width is None or image.height is None or image.width % 8 or image.height % 8:
        raise InvalidOp(f"{image} is no multiple of 8 on both sides")
    return Type(kind="latents", width=image.width, height=image.height)
