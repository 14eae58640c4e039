"""The plan as a Mermaid flow chart."""

from promptc.plan.plan import Plan
from promptc.plan.printers.dot import shorten
from promptc.plan.printers.text import show_fields

_CODES = str.maketrans({char: f"#{ord(char)};" for char in '#"\\<>&`{}[]();|'})
"""Mermaid's own entities for what would end a label or be read as HTML or Markdown."""


def write(plan: Plan) -> str:
    number = {op.id: index for index, op in reversed(list(enumerate(plan.ops)))}
    lines = ["flowchart LR"]
    for index, op in enumerate(plan.ops):
        fields = show_fields(op, [f"%{number[ref]}" for ref in op.inputs])
        label = "<br/>".join(shorten(line).translate(_CODES) for line in (f"%{index} {op.op}", *fields))
        lines.append(f'  n{index}["{label}"]')
    lines.extend(f"  n{number[ref]} --> n{index}" for index, op in enumerate(plan.ops) for ref in op.inputs)
    for index, batch in enumerate(plan.batches):
        lines.append(f"  subgraph batch{index} [batch]")
        lines.extend(f"    n{number[ref]}" for ref in batch)
        lines.append("  end")
    return "\n".join(lines)
