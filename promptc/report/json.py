"""Findings as a JSON list, for other programs.

Lines and columns count from 1, offsets from 0, all in code points; ends are exclusive.
"""

import json
from collections.abc import Sequence
from typing import Any

from promptc.report import Finding
from promptc.source import Source, Span


def render(findings: Sequence[Finding], *, color: bool = False, files: int | None = None) -> str:
    return json.dumps([to_json(finding) for finding in findings], ensure_ascii=False, indent=2) + "\n"


def to_json(finding: Finding) -> dict[str, Any]:
    """One finding as plain data."""
    source, found = finding
    return {
        "file": source.path,
        "code": found.code,
        "name": found.name,
        "severity": found.severity,
        "message": found.message,
        **_range(source, found.span),
        "label": found.label or None,
        "help": found.help or None,
        "notes": list(found.notes),
        "labels": [{"message": label.message, **_range(source, label.span)} for label in found.labels],
        "fixes": [
            {
                "message": fix.message,
                "safe": fix.safe,
                "edits": [{**_range(source, edit.span), "text": edit.text} for edit in fix.edits],
            }
            for fix in found.fixes
        ],
    }


def _range(source: Source, span: Span) -> dict[str, dict[str, int]]:
    return {"start": source.position(span.start)._asdict(), "end": source.position(span.end)._asdict()}
