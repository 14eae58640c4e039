"""The passes: plain functions Plan -> Plan, in the order in which they run. None changes a result or an id."""

from collections.abc import Callable

from promptc.plan.passes.drop_dead import drop_dead
from promptc.plan.passes.group_denoises import group_denoises
from promptc.plan.passes.share_equal import share_equal
from promptc.plan.plan import Plan

PASSES: tuple[Callable[[Plan], Plan], ...] = (share_equal, drop_dead, group_denoises)


def optimize(plan: Plan) -> Plan:
    """Run every pass."""
    for run in PASSES:
        plan = run(plan)
    return plan
