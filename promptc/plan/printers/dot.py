"""The plan as a Graphviz graph."""

from promptc.plan.plan import Plan
from promptc.plan.printers.text import show_fields

WIDTH = 48
"""Characters of a field that are shown at most: a graph is for an overview, and the text form has all of it."""


def write(plan: Plan) -> str:
    number = {op.id: index for index, op in reversed(list(enumerate(plan.ops)))}
    lines = ["digraph plan {", "  rankdir=LR;", '  node [shape=box, fontname="monospace"];']
    for index, op in enumerate(plan.ops):
        fields = show_fields(op, [f"%{number[ref]}" for ref in op.inputs])
        label = "\\n".join(_escape(line) for line in (f"%{index} {op.op}", *fields))
        bold = ", penwidth=2" if op.id in plan.outputs else ""
        lines.append(f'  n{index} [label="{label}"{bold}];')
    lines.extend(f"  n{number[ref]} -> n{index};" for index, op in enumerate(plan.ops) for ref in op.inputs)
    for index, batch in enumerate(plan.batches):
        members = " ".join(f"n{number[ref]};" for ref in batch)
        lines.append(f'  subgraph cluster_{index} {{ label="batch"; style=dashed; {members} }}')
    return "\n".join([*lines, "}"])


def shorten(text: str) -> str:
    """At most WIDTH characters of a field."""
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _escape(text: str) -> str:
    return shorten(text).replace("\\", "\\\\").replace('"', '\\"')
