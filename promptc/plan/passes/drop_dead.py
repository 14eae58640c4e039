"""Ops that no output needs are left out."""

from promptc.plan.op import Op, Ref
from promptc.plan.plan import Plan


def drop_dead(plan: Plan) -> Plan:
    needed: set[Ref] = set(plan.outputs)
    kept: list[Op] = []
    for op in reversed(plan.ops):
        if op.id in needed:
            needed.update(op.inputs)
            kept.append(op)
    batches = tuple(left for batch in plan.batches if len(left := tuple(ref for ref in batch if ref in needed)) > 1)
    return plan.model_copy(update={"ops": tuple(reversed(kept)), "batches": batches})
