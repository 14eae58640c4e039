"""One line for each finding: `file:line:column: E0921 [brace] message`."""

from collections.abc import Sequence

from promptc.report import Finding, summary, visible


def render(findings: Sequence[Finding], *, color: bool = False, files: int | None = None) -> str:
    lines = []
    for source, found in findings:
        place = source.position(found.span.start)
        fix = " [*]" if any(fix.safe for fix in found.fixes) else ""
        message = visible(found.message)
        lines.append(
            f"{source.path}:{place.line}:{place.column}: {found.code}{fix} [{found.name}] {found.severity}: {message}"
        )
    if files is not None:
        lines.append(summary(findings, files))
    return "".join(line + "\n" for line in lines)
