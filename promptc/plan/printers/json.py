"""The plan as canonical JSON, as the published schema describes it."""

from promptc.plan.plan import Plan, dumps


def write(plan: Plan) -> str:
    return dumps(plan)
