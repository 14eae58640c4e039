"""Image -> the record that goes into its file."""

from collections.abc import Sequence

from torch import Tensor

from promptc.plan.ops.describe import Describe
from promptc.plan.plan import Plan
from promptc_runtime.context import Context, RunError
from promptc_runtime.metadata.record import Record


def run(op: Describe, inputs: Sequence[object], context: Context) -> Record:
    """The size is the picture's own; the plan is the part of the whole that makes it."""
    (image,) = inputs
    assert isinstance(image, Tensor)
    about = op.about
    height, width = image.shape[-2:]
    part = part_of(context.plan, op.inputs[0])
    return Record(
        generator=context.generator,
        prompt=about.prompt,
        negative=about.negative,
        template=about.template,
        values=about.values,
        choices=about.choices or None,
        seed=about.seed,
        batch_index=about.batch_index,
        steps=about.steps,
        sampler=about.sampler,
        guidance=about.guidance,
        clip_skip=about.clip_skip,
        width=width,
        height=height,
        model=about.model,
        model_digest=_digest(about.model, context),
        plan_id=op.inputs[0],
        plan=part.model_dump(mode="json"),
    )


def _digest(model: str, context: Context) -> str | None:
    """What the checkpoint's files hold; nothing where it is gone and the picture came from the cache."""
    try:
        return context.models.digest(model, context.source)
    except RunError:
        return None


def part_of(plan: Plan, wanted: str) -> Plan:
    """The ops that `wanted` needs, in their order, as a plan of their own."""
    by_id = plan.by_id
    needed, open_ids = set[str](), [wanted]
    while open_ids:
        found = open_ids.pop()
        if found not in needed:
            needed.add(found)
            open_ids.extend(by_id[found].inputs)
    return Plan(ops=tuple(op for op in plan.ops if op.id in needed), outputs=(wanted,))
