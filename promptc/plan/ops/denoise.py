"""Noise -> latents, under one or more texts."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from promptc.plan.op import InvalidOp, Op, Type

Sampler = Literal["ddim", "euler", "euler_a", "dpmpp_2m", "dpmpp_2m_karras", "heun", "lms", "pndm", "unipc"]
MAX_SEED = 2**53 - 1


class Until(BaseModel):
    """The text in force up to and including step `last`, counted from 1; `text` is an index into `inputs`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    last: Annotated[int, Field(ge=1)]
    text: Annotated[int, Field(ge=0)]


class Guide(BaseModel):
    """One branch of a composition: its weight, and its texts over the steps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weight: float = 1.0
    schedule: tuple[Until, ...]


class Denoise(Op):
    """Denoise one picture.

    `inputs` are conditionings, then the latents to start from when `strength` is given. Noise is drawn on the CPU
    from `seed`. The prediction is `n + guidance * sum(weight_i * (p_i - n))`. Result: latents of a `width` x `height` picture.
    """

    op: Literal["denoise"] = "denoise"
    model: str
    positive: Annotated[tuple[Guide, ...], Field(min_length=1)]
    negative: Guide
    width: Annotated[int, Field(ge=8, le=8192)]
    height: Annotated[int, Field(ge=8, le=8192)]
    steps: Annotated[int, Field(ge=1, le=1000)]
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    sampler: Sampler
    guidance: Annotated[float, Field(ge=0, le=100)]
    guidance_rescale: Annotated[float, Field(ge=0, le=1)] = 0.0
    strength: Annotated[float, Field(gt=0, le=1)] | None = None
    tile: bool = False

    batchable: ClassVar[bool] = True
    varies: ClassVar[frozenset[str]] = frozenset({"seed"})


def infer(op: Denoise, inputs: Sequence[Type]) -> Type:
    texts = len(inputs) - (op.strength is not None)
    kinds = [value.kind for value in inputs]
    if kinds[:texts] != ["conditioning"] * texts or kinds[texts:] not in ([], ["latents"]):
        raise InvalidOp(
            f"denoise takes conditionings, then latents when it has a strength, and was given ({', '.join(kinds)})"
        )
    used: set[int] = set()
    for guide in (*op.positive, op.negative):
        lasts = [until.last for until in guide.schedule]
        if lasts != sorted(set(lasts)) or not lasts or lasts[-1] != op.steps:
            raise InvalidOp(f"a schedule must rise to the last step, {op.steps}; this one has {lasts}")
        used.update(until.text for until in guide.schedule)
    if used != set(range(texts)):
        raise InvalidOp(f"denoise names the texts {sorted(used)} of its {texts}")
    for side, size in (("width", op.width), ("height", op.height)):
        if size % 8:
            raise InvalidOp(f"{side} {size} is no multiple of 8")
    if op.strength is not None and (inputs[-1].width, inputs[-1].height) != (op.width, op.height):
        raise InvalidOp(f"the start is {inputs[-1]}, and the picture {op.width}x{op.height}")
    return Type(kind="latents", width=op.width, height=op.height)
