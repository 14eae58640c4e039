"""Bytes -> a file."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import StringConstraints

from promptc.plan.op import Op, Type, expect


class Store(Op):
    """Write a file, whole or not at all, into the folder of the run."""

    op: Literal["store"] = "store"
    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,119}$")]


def infer(op: Store, inputs: Sequence[Type]) -> Type:
    expect(op, inputs, "bytes")
    return Type(kind="file", width=inputs[0].width, height=inputs[0].height)
