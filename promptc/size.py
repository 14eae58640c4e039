"""The size of a picture from a ratio."""

from collections.abc import Iterator
from math import log

LEAST = 3 / 4
"""The share of the model's own pixels that a picture of another ratio has at least, where the steps allow it."""


def fit(ratio: tuple[int, int], own: tuple[int, int], step: int) -> tuple[int, int]:
    """The size for a ratio: multiples of `step`, with at most the pixels of the model's own size.

    Of the sizes that have at least three quarters of these pixels (of all, where none has) it is the one nearest to
    the ratio, and of equally near ones the largest: 16:9 of 512x512 is 640x360, and 4:3 of 128x128 is 128x96.
    """
    budget = own[0] * own[1]
    wanted = log(ratio[0] / ratio[1])
    sizes = list(_sizes(ratio, budget, step))
    large = [size for size in sizes if size[0] * size[1] >= LEAST * budget]

    def key(size: tuple[int, int]) -> tuple[float, int, float]:
        found = log(size[0] / size[1])
        return round(abs(found - wanted), 9), -size[0] * size[1], round(abs(found), 9)

    return min(large or sizes, key=key)


def _sizes(ratio: tuple[int, int], budget: int, step: int) -> Iterator[tuple[int, int]]:
    """Every width and every height within the budget, with the other sides that come next to the ratio."""
    for side in range(step, budget // step + 1, step):
        for other in _next_to(side * ratio[1] / ratio[0], budget // side, step):
            yield side, other
        for other in _next_to(side * ratio[0] / ratio[1], budget // side, step):
            yield other, side


def _next_to(length: float, limit: int, step: int) -> Iterator[int]:
    lower = int(length // step) * step
    yield from (side for side in (lower, lower + step) if 0 < side <= limit)
