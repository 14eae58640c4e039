"""Image -> image of another size."""

from collections.abc import Sequence

from torch import Tensor

from promptc.plan.ops.resize import Resize
from promptc_runtime.context import Context
from promptc_runtime.imaging.resize import resize


def run(op: Resize, inputs: Sequence[object], context: Context) -> Tensor:
    """[3, H, W] -> [3, height, width]."""
    (image,) = inputs
    assert isinstance(image, Tensor)
    return resize(image, op.width, op.height)
