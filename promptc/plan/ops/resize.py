"""Image -> image of another size."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from promptc.plan.op import Op, Type, expect


class Resize(Op):
    """Scale an image to exactly `width` x `height`."""

    op: Literal["resize"] = "resize"
    width: Annotated[int, Field(ge=1, le=65535)]
    height: Annotated[int, Field(ge=1, le=65535)]


def infer(op: Resize, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "image")
    return Type(kind="image", width=op.width, height=op.height)
