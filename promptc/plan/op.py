"""What every op of a plan has in common.

An op is a pure function of its inputs and its fields. Its id is the BLAKE2b hash of both, so equal work has equal ids
on every machine, and an op's result can be kept under its id.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

Ref = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""The id of the op whose result is meant."""

Kind = Literal["conditioning", "latents", "image", "record", "bytes", "file"]


class Type(BaseModel):
    """The type of a result: what it is, and its size in pixels where it has one.

    `latents` and `image` have a size; `bytes` and `file` keep the one of the picture they hold.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    width: int | None = None
    height: int | None = None

    def __str__(self) -> str:
        return self.kind if self.width is None else f"{self.kind}[{self.width}x{self.height}]"


class InvalidOp(ValueError):
    """An op whose inputs or fields do not fit; the message says which and why."""


class Op(BaseModel):
    """One operation. `inputs` are ids of earlier ops; a field that names an input holds its index in `inputs`.

    A subclass sets `op` to a literal, and its module has `infer(op, inputs) -> Type`, which raises InvalidOp.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    op: str
    inputs: tuple[Ref, ...] = ()

    batchable: ClassVar[bool] = False
    """Ops of the same kind and shape may run as one batch without changing any result."""

    varies: ClassVar[frozenset[str]] = frozenset()
    """Fields in which the ops of a batch may differ, beside `inputs`."""

    unhashed: ClassVar[frozenset[str]] = frozenset()
    """Fields that say where to look and not what to do: they are no part of the id."""

    @cached_property
    def id(self) -> Ref:
        return digest(self.model_dump(mode="json", exclude=set(self.unhashed)))


def canonical(value: object) -> bytes:
    """JSON with one spelling: sorted keys, no blanks, shortest floats, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def digest(value: object) -> Ref:
    """The BLAKE2b hash of a value's canonical JSON, as 32 hexadecimal digits."""
    return hashlib.blake2b(canonical(value), digest_size=16).hexdigest()


def expect(op: Op, inputs: Sequence[Type], *kinds: Kind) -> None:
    """Check that the inputs are exactly of these kinds. Raises InvalidOp."""
    found = [value.kind for value in inputs]
    if found != list(kinds):
        raise InvalidOp(f"{op.op} takes ({', '.join(kinds)}), and was given ({', '.join(found)})")
