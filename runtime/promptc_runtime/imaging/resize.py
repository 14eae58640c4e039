"""Scaling pictures.

Down: in linear light, so that fine detail keeps its brightness; the mean of a box where the ratio is whole, else
bicubic with antialiasing. Up: bicubic on sRGB values, where its overshoot is less visible than in linear light. A
picture that shrinks along one side and grows along the other does both, in that order.
"""

from torch import Tensor
from torch.nn.functional import avg_pool2d, interpolate

from promptc_runtime.imaging.transfer import to_linear, to_srgb


def resize(image: Tensor, width: int, height: int) -> Tensor:
    """`image` [..., 3, H, W], floating point sRGB in 0..1, scaled to exactly [..., 3, height, width] in 0..1.

    Raises ValueError for an empty size.
    """
    if width < 1 or height < 1:
        raise ValueError(f"a picture of {width}x{height} has no pixels")
    *lead, old_height, old_width = image.shape
    batch = image.reshape(-1, 3, old_height, old_width)
    small_height, small_width = min(height, old_height), min(width, old_width)
    if (small_height, small_width) != (old_height, old_width):
        batch = to_srgb(_shrink(to_linear(batch), small_height, small_width).clamp(0, 1))
    if (small_height, small_width) != (height, width):
        batch = interpolate(batch, size=(height, width), mode="bicubic", align_corners=False)
    return batch.clamp(0, 1).reshape(*lead, height, width)


def _shrink(light: Tensor, height: int, width: int) -> Tensor:
    rows, row_rest = divmod(light.shape[-2], height)
    columns, column_rest = divmod(light.shape[-1], width)
    if not row_rest and not column_rest:
        return avg_pool2d(light, (rows, columns))
    return interpolate(light, size=(height, width), mode="bicubic", antialias=True, align_corners=False)


def fit(image: Tensor, width: int, height: int) -> Tensor:
    """`image` [..., 3, H, W] scaled to fill `width` x `height` and cropped around its centre."""
    old_height, old_width = image.shape[-2:]
    scale = max(width / old_width, height / old_height)
    wide, high = max(width, round(old_width * scale)), max(height, round(old_height * scale))
    if (wide, high) != (old_width, old_height):
        image = resize(image, wide, high)
    left, top = (wide - width) // 2, (high - height) // 2
    return image[..., top : top + height, left : left + width]
