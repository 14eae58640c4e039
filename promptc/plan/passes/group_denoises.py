"""Denoises of one shape are brought together, so that they may run as one batch.

The ops are ordered anew, stably: a batch stands where all inputs of its members are there.
"""

from collections import defaultdict

from promptc.plan.op import Op, Ref
from promptc.plan.ops.denoise import Denoise
from promptc.plan.plan import Plan
from promptc.plan.verify import shape, verify


def group_denoises(plan: Plan) -> Plan:
    types = verify(plan)
    groups: defaultdict[object, list[Ref]] = defaultdict(list)
    depth: dict[Ref, int] = {}
    for op in plan.ops:
        depth[op.id] = max((depth[ref] for ref in op.inputs), default=0) + isinstance(op, Denoise)
        if isinstance(op, Denoise):
            # Only denoises that stand equally deep are independent of each other, and so are whole batches of them.
            groups[depth[op.id], shape(op, types)].append(op.id)
    batches = tuple(tuple(group) for group in groups.values() if len(group) > 1)
    return plan.model_copy(update={"ops": _order(plan, batches, depth), "batches": batches})


def _order(plan: Plan, batches: tuple[tuple[Ref, ...], ...], depth: dict[Ref, int]) -> tuple[Op, ...]:
    """Ops by the number of denoises before them; in each such layer the denoises come first, batch by batch."""
    batch_of = {ref: number for number, batch in enumerate(batches) for ref in batch}

    def key(place: tuple[int, Op]) -> tuple[int, bool, int, int]:
        number, op = place
        alone = len(batches) + number
        return depth[op.id], not isinstance(op, Denoise), batch_of.get(op.id, alone), number

    if not batches:
        return plan.ops
    return tuple(op for _, op in sorted(enumerate(plan.ops), key=key))
