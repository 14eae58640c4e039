"""A plan: ops in SSA order, what is wanted of them, and which may run together."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_serializer, model_validator

from promptc.plan.op import InvalidOp, Op, Ref, canonical, digest
from promptc.plan.registry import specs

VERSION: Literal[1] = 1


class Plan(BaseModel):
    """Frozen. `ops` are in an order in which every input comes before its use.

    `outputs` are the ids that the caller wants. `batches` are hints: the ops of a batch follow each other, have one
    shape and may run as one; they change no result and no id.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = VERSION
    ops: tuple[Op, ...]
    outputs: tuple[Ref, ...]
    batches: tuple[tuple[Ref, ...], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _read_ops(cls, data: Any) -> Any:
        if isinstance(data, dict) and "ops" in data:
            data = {**data, "ops": tuple(_read_op(op) for op in data["ops"])}
        return data

    @model_serializer(mode="plain")
    def _write(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "ops": [{"id": op.id, **op.model_dump(mode="json")} for op in self.ops],
            "outputs": list(self.outputs),
            "batches": [list(batch) for batch in self.batches],
        }

    @property
    def id(self) -> Ref:
        """The hash of what is wanted. An output's id covers all that leads to it, so nothing else counts."""
        return digest({"version": self.version, "outputs": list(self.outputs)})

    @property
    def by_id(self) -> dict[str, Op]:
        return {op.id: op for op in self.ops}


def _read_op(data: Any) -> Op:
    if isinstance(data, Op):
        return data
    if not isinstance(data, dict) or data.get("op") not in specs():
        known = ", ".join(sorted(specs()))
        raise ValueError(f"unknown op {data.get('op') if isinstance(data, dict) else data!r}; known are {known}")
    fields = {key: value for key, value in data.items() if key != "id"}
    op = specs()[data["op"]].model.model_validate(fields)
    if "id" in data and data["id"] != op.id:
        raise InvalidOp(f"{op.op} {data['id']} holds other content than its id says (it should be {op.id})")
    return op


def dumps(plan: Plan) -> str:
    """The plan as canonical JSON."""
    return canonical(plan.model_dump(mode="json")).decode("utf-8")


def loads(text: str | bytes) -> Plan:
    """Read a plan from JSON. Raises pydantic.ValidationError, a ValueError."""
    return Plan.model_validate_json(text)
