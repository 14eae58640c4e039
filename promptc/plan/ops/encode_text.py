"""Text -> what the UNet is conditioned on."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from promptc.plan.op import InvalidOp, Op, Type

Weighting = Literal["webui", "comfy", "compel"]


class EncodeText(Op):
    """Encode one text: the spans of each `BREAK`-separated part, with their weights.

    A part is cut into chunks of 75 tokens. `webui` scales the hidden states and restores their mean, `comfy`
    interpolates from the empty prompt, `compel` lerps up from the empty prompt and mixes masked text in going down.
    Result: hidden states [chunks * 77, width], float32.
    """

    op: Literal["encode_text"] = "encode_text"
    model: str
    parts: tuple[tuple[tuple[str, float], ...], ...]
    clip_skip: Annotated[int, Field(ge=1, le=12)] = 1
    weighting: Weighting = "webui"


def infer(op: EncodeText, inputs: Sequence[Type]) -> Type:
    if inputs:
        raise InvalidOp("encode_text takes no inputs")
    if not op.parts:
        raise InvalidOp("encode_text needs at least one part (an empty prompt is one empty part)")
    return Type(kind="conditioning")
