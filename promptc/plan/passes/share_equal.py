"""Equal work is done once: of ops with one id only the first stays, and so of the results that are wanted."""

from promptc.plan.plan import Plan


def share_equal(plan: Plan) -> Plan:
    # An id covers an op's fields and, through its inputs' ids, all that leads to it: equal ids are equal results.
    ops = {op.id: op for op in reversed(plan.ops)}
    first = dict.fromkeys(op.id for op in plan.ops)
    return plan.model_copy(
        update={"ops": tuple(ops[ref] for ref in first), "outputs": tuple(dict.fromkeys(plan.outputs))}
    )
