"""The contact sheet of a run: what was made, read back from the files, on one page."""

import os
import secrets
from pathlib import Path

from promptc.plan import printers
from promptc.plan.op import Ref
from promptc.plan.ops.denoise import Denoise
from promptc.plan.plan import Plan
from promptc_runtime.imaging.store import store
from promptc_runtime.metadata.read import read_file
from promptc_runtime.result import Result
from promptc_runtime.sheet import Picture, Step, sheet

PAGE = "index.html"
MARK = '<meta name="generator" content="promptc">'
"""In every page of ours: one that has it is replaced by the next run, any other page stays."""


def write_sheet(result: Result, plan: Plan, folder: Path, title: str) -> Path:
    """Write the page of a run into its folder, whole or not at all. Raises StoreError, an OSError."""
    steps = [Step(ref, timing.op, timing.seconds, timing.cached) for ref, timing in result.timings.items()]
    text = sheet(title, _pictures(result, plan), steps, printers.write(plan, "text"), result.notes)
    text = text.replace("<head>", f"<head>\n{MARK}", 1)
    page = folder / PAGE
    try:
        mine = MARK in page.read_text("utf-8", "replace")[:4096]
    except OSError:
        mine = False
    if not mine:
        return store(text.encode(), folder, PAGE).path
    temporary = folder / f".{secrets.token_hex(6)}.part"
    try:
        temporary.write_bytes(text.encode())
        os.replace(temporary, page)
    finally:
        temporary.unlink(missing_ok=True)
    return page


def _pictures(result: Result, plan: Plan) -> list[Picture]:
    """The files of each picture together: those from one denoise, in all their sizes and formats."""
    ops = plan.by_id
    groups: dict[Ref, list[Path]] = {}
    for ref, value in result.values.items():
        path = getattr(value, "path", None)
        if isinstance(path, Path):
            origin, waiting = ref, [ref]
            while waiting:
                found = waiting.pop(0)
                if isinstance(ops[found], Denoise):
                    origin = found
                    break
                waiting.extend(ops[found].inputs)
            groups.setdefault(origin, []).append(path)
    pictures = []
    for paths in groups.values():
        record = read_file(paths[0]).record
        if record is not None:
            pictures.append(Picture(record, tuple(path.name for path in paths)))
    return pictures
