"""Image and record -> the bytes of a file."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from promptc.formats import formats
from promptc.plan.op import InvalidOp, Op, Type, expect

Format = Literal["webp", "png", "tiff", "jpeg", "avif"]


class Encode(Op):
    """Encode a picture with its metadata. TIFF has 16 bits a channel, the others 8. `quality` is for WebP, JPEG, AVIF."""

    op: Literal["encode"] = "encode"
    format: Format = "webp"
    quality: Annotated[int, Field(ge=1, le=100)] = 90
    effort: Annotated[int, Field(ge=0, le=9)] = 4


def infer(op: Encode, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "image", "record")
    image = inputs[0]
    longest, limit = max(image.width or 0, image.height or 0), formats()[op.format].max_side
    if longest > limit:
        way = "use png or tiff, or a smaller size"
        raise InvalidOp(f"{op.format} takes at most {limit} pixels a side, and the picture has {longest}; {way}")
    return Type(kind="bytes", width=image.width, height=image.height)
