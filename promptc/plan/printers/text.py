"""The plan as text, one op a line: `%3 = denoise(%1, %2) size=512x640 steps=24 seed=7`.

Fields that have their default are left out. Equal plans print equally.
"""

import re
from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from promptc.plan.op import Op, canonical
from promptc.plan.ops.denoise import Guide
from promptc.plan.plan import Plan

_BARE = re.compile(r"[\w./:-]+")


def write(plan: Plan) -> str:
    names: dict[str, str] = {}
    for number, op in enumerate(plan.ops):
        names.setdefault(op.id, f"%{number}")
    lines = [f"plan {plan.id}"]
    for number, op in enumerate(plan.ops):
        inputs = [names[ref] for ref in op.inputs]
        fields = "".join(f" {field}" for field in show_fields(op, inputs))
        lines.append(f"%{number} = {op.op}({', '.join(inputs)}){fields}")
    lines.extend(f"batch {', '.join(names[ref] for ref in batch)}" for batch in plan.batches)
    lines.append(f"return {', '.join(names[ref] for ref in plan.outputs)}")
    return "\n".join(lines)


def show_fields(op: Op, inputs: Sequence[str]) -> Iterator[str]:
    """The fields of an op that do not have their default, as `name=value`; `inputs` are the names of its inputs."""
    size = getattr(op, "width", None), getattr(op, "height", None)
    sized = None not in size
    for name, field in type(op).model_fields.items():
        value = getattr(op, name)
        if name in ("op", "inputs") or (
            not field.is_required() and value == field.get_default(call_default_factory=True)
        ):
            continue
        if sized and name == "width":
            yield f"size={size[0]}x{size[1]}"
        elif not (sized and name == "height"):
            yield f"{name}={_show(value, inputs)}"


def _show(value: object, inputs: Sequence[str]) -> str:
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) else _json(value)
    if isinstance(value, Guide):
        return _show_guide(value, inputs)
    if isinstance(value, tuple) and value and isinstance(value[0], Guide):
        return "+".join(_show_guide(guide, inputs) for guide in value)
    return _json(value)


def _show_guide(guide: Guide, inputs: Sequence[str]) -> str:
    """`1.2*[%1..8,%2..20]`: the weight, and each text with the last step it is in force."""
    weight = "" if guide.weight == 1 else f"{guide.weight!r}*"
    if len(guide.schedule) == 1:
        return weight + inputs[guide.schedule[0].text]
    return f"{weight}[{','.join(f'{inputs[until.text]}..{until.last}' for until in guide.schedule)}]"


def _json(value: object) -> str:
    plain = value.model_dump(mode="json", exclude_defaults=True) if isinstance(value, BaseModel) else value
    return canonical(plain).decode("utf-8")
