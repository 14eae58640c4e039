"""Image -> a print on paper."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from promptc.plan.op import Op, Type, expect

Paper = Literal["cotton", "vellum", "smooth"]


class Ziatype(Op):
    """Print an image as a ziatype: calibration in linear light, silver response, paper, split tone, output gamma.

    `density` and `gamma` shape the response `(1 - exp(-density * x)) ** (1 / gamma)`; `tone` goes from cool (-1) to
    warm (1); `texture` scales the paper's relief; `seed` fixes the sheet.
    """

    op: Literal["ziatype"] = "ziatype"
    density: Annotated[float, Field(ge=0.1, le=10)] = 1.8
    gamma: Annotated[float, Field(ge=0.5, le=5)] = 2.2
    paper: Paper = "cotton"
    tone: Annotated[float, Field(ge=-1, le=1)] = 0.35
    texture: Annotated[float, Field(ge=0, le=2)] = 1.0
    seed: Annotated[int, Field(ge=0)] = 0


def infer(op: Ziatype, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "image")
    return inputs[0]
