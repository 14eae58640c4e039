"""What stands for a placeholder: pictures, ratios, and the text that each value has in a prompt."""

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from os import PathLike, fspath
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Image(PathLike[str]):
    """A picture, by its path or URL. It is opened when a plan is made, not before."""

    source: str

    def __init__(self, source: "str | PathLike[str]") -> None:
        object.__setattr__(self, "source", fspath(source))

    def __fspath__(self) -> str:
        return self.source

    def __str__(self) -> str:
        return self.source


class Ratio(NamedTuple):
    """Width to height, in whole numbers: `Ratio(4, 5)`, written `4:5`."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}:{self.height}"


def show(value: object) -> str:
    """The text of a value in a prompt: numbers in plain decimals, an enum's member as its value, `true` and `false`."""
    match value:
        case Enum():
            return show(value.value)
        case bool():
            return "true" if value else "false"
        case float():
            return format(Decimal(repr(value)), "f")
        case (width, height):
            return f"{width}:{height}"
        case PathLike():
            return str(fspath(value))
        case _:
            return str(value)
