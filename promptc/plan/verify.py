"""The verifier: what must hold of a plan before it runs. The compiler and the runtime use this one function."""

from collections.abc import Iterable, Mapping, Sequence

from promptc.plan.op import InvalidOp, Op, Ref, Type
from promptc.plan.ops.store import Store
from promptc.plan.plan import Plan
from promptc.plan.registry import specs


class PlanError(ValueError):
    """A plan that cannot run; the message names the op and the reason."""


def verify(plan: Plan) -> dict[Ref, Type]:
    """Check a plan, and give the type of every op's result. Raises PlanError."""
    types: dict[Ref, Type] = {}
    for number, op in enumerate(plan.ops):
        types[op.id] = _infer(number, op, types)
    for output in plan.outputs:
        if output not in types:
            raise PlanError(f"the plan wants {output}, which no op makes")
    if len(set(plan.outputs)) < len(plan.outputs):
        raise PlanError("the plan wants one result twice")
    _verify_names(plan.ops)
    _verify_batches(plan, types)
    return types


def _infer(number: int, op: Op, types: Mapping[Ref, Type]) -> Type:
    spec = specs().get(op.op)
    if spec is None or type(op) is not spec.model:
        raise PlanError(f"%{number}: unknown op {op.op}; known are {', '.join(sorted(specs()))}")
    for ref in op.inputs:
        if ref not in types:
            raise PlanError(f"%{number} {op.op}: its input {ref} is made by no earlier op")
    try:
        return spec.infer(op, [types[ref] for ref in op.inputs])
    except InvalidOp as error:
        raise PlanError(f"%{number} {op.op}: {error}") from None


def _verify_names(ops: Sequence[Op]) -> None:
    names: dict[str, Ref] = {}
    for number, op in enumerate(ops):
        if isinstance(op, Store) and names.setdefault(op.name, op.id) != op.id:
            raise PlanError(f"%{number} store: an earlier op writes another file to {op.name}")


def shape(op: Op, types: Mapping[Ref, Type]) -> tuple[object, ...]:
    """What must be equal for ops to run as one batch: all but the values of inputs and what may vary."""
    fields = op.model_dump(mode="json", exclude={"inputs", *op.varies})
    return op.op, repr(fields), tuple(str(types[ref]) for ref in op.inputs)


def _verify_batches(plan: Plan, types: Mapping[Ref, Type]) -> None:
    place = {op.id: number for number, op in enumerate(plan.ops)}
    seen: set[Ref] = set()
    for batch in plan.batches:
        if unknown := next((ref for ref in batch if ref not in place), None):
            raise PlanError(f"a batch names {unknown}, which no op makes")
        numbers = [place[ref] for ref in batch]
        ops = [plan.ops[number] for number in numbers]
        name = f"the batch {_names(numbers)}"
        if len(batch) < 2 or len(set(batch)) < len(batch):
            raise PlanError(f"{name} does not hold at least two different ops")
        if seen & set(batch):
            raise PlanError(f"{name} shares an op with another batch")
        if not all(op.batchable for op in ops):
            raise PlanError(f"{name} holds an op that runs alone")
        if len({shape(op, types) for op in ops}) > 1:
            raise PlanError(f"{name} holds ops of different shapes")
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            raise PlanError(f"{name} is not one run of the plan")
        if any(place[ref] >= numbers[0] for op in ops for ref in op.inputs):
            raise PlanError(f"{name} holds an op that needs another of its results")
        seen |= set(batch)


def _names(numbers: Iterable[int]) -> str:
    return ", ".join(f"%{number}" for number in numbers)
