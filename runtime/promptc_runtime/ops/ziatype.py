"""Image -> a print on paper."""

from collections.abc import Sequence

from torch import Tensor

from promptc.plan.ops.ziatype import Ziatype
from promptc_runtime.context import Context
from promptc_runtime.imaging.ziatype import ziatype


def run(op: Ziatype, inputs: Sequence[object], context: Context) -> Tensor:
    """[3, H, W] -> [3, H, W]."""
    (image,) = inputs
    assert isinstance(image, Tensor)
    return ziatype(
        image,
        density=op.density,
        gamma=op.gamma,
        paper=op.paper,
        tone=op.tone,
        texture=op.texture,
        seed=op.seed,
    )
