"""Image -> the record that goes into its file."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from promptc.plan.op import Op, Type, expect


class Described(BaseModel):
    """What a picture was made from, for people and other tools; the plan itself is added when the record is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    prompt: str
    negative: str = ""
    template: str | None = None
    values: dict[str, str | int | float | bool] = {}
    choices: tuple[int | tuple[int, ...], ...] = ()
    seed: int
    batch_index: int = 0
    width: int
    height: int
    steps: int
    sampler: str
    guidance: float
    clip_skip: int = 1
    model: str


class Describe(Op):
    """Make the record of a picture: `about`, the id of the image, and the part of the plan that makes it."""

    op: Literal["describe"] = "describe"
    about: Described
    version: Annotated[int, Field(ge=1)] = 1


def infer(op: Describe, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "image")
    return Type(kind="record")
