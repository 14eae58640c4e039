"""A file -> image."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from promptc.plan.op import InvalidOp, Op, Type


class LoadImage(Op):
    """Read a picture, turn it upright, convert it to sRGB and fit it to `width` x `height` (scaled and cropped).

    The content is fixed by `sha256`; `path` only says where to look, and is relative to the plan's folder.
    Result: image [3, height, width], float32 in 0..1, sRGB.
    """

    op: Literal["load_image"] = "load_image"
    path: str
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]

    unhashed: ClassVar[frozenset[str]] = frozenset({"path"})


def infer(op: LoadImage, inputs: Sequence[Type]) -> Type:
    if inputs:
        raise InvalidOp("load_image takes no inputs")
    return Type(kind="image", width=op.width, height=op.height)
