"""`promptc check`: find the mistakes in prompts before they run."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from promptc.files import Document, load, read
from promptc.project import Config, ConfigError, discover, find
from promptc.report import Finding, formats, render
from promptc.settings import Settings

_ROUNDS = 10
"""How often fixes are applied to a file: one fix may make room for another, and none may go on for ever."""


@click.command(short_help="Find the mistakes in prompts.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--output-format", type=click.Choice(formats()), default="full", show_default=True)
@click.option("--fix", "fixing", is_flag=True, help="Apply the safe fixes.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="With --fix or --diff: apply the fixes that may change the meaning, too."
)
@click.option("--diff", is_flag=True, help="Print what --fix would change, and write nothing.")
@click.option("--stdin-filename", metavar="NAME", help="The name of standard input (-); its suffix gives the kind.")
@click.option("--target", metavar="NAME", help="What the prompts are for: sd15, sdxl, flux, landscape ...")
@click.option("--fail-on", type=click.Choice(["error", "warning", "never"]), default="error", show_default=True)
def check(
    paths: tuple[str, ...],
    output_format: str,
    fixing: bool,
    unsafe_fixes: bool,
    diff: bool,
    stdin_filename: str | None,
    target: str | None,
    fail_on: str,
) -> None:
    """Check prompts in PATH...: .prompt files, Python sources, .txt files (a prompt a line), folders, or - for stdin.

    Exit status: 0 clean, 1 findings, 2 usage or internal error.
    """
    from promptc.findings import findings, settings_of

    config = _config()
    settings = settings_of(config, target=known_target(target))
    found: list[Finding] = []
    count = 0
    for document in _documents(paths, stdin_filename, config):
        count += 1
        if fixing or diff:
            document = _fix(document, settings, unsafe=unsafe_fixes, diff=diff)
        found.extend(findings(document, settings))
    streams_source = "-" in paths and (fixing or diff)
    color = not streams_source and sys.stdout.isatty() and output_format == "full"
    report = render(output_format)(found, color=color, files=count)
    click.echo(report, nl=False, err=streams_source)  # standard output holds the fixed text, or the diff
    severities = {finding.diagnostic.severity for finding in found}
    failing = {"error": {"error"}, "warning": {"error", "warning"}, "never": set()}[fail_on]
    sys.exit(1 if severities & failing else 0)


def _config() -> Config:
    try:
        return find(Path.cwd())
    except ConfigError as error:
        raise click.UsageError(str(error)) from None


def known_target(name: str | None) -> str | None:
    """The name of a target, or None. Raises click.UsageError for an unknown one."""
    if name is None:
        return None
    from promptc.encoders import targets
    from promptc.suggest import nearest

    if name not in targets():
        close = nearest(name, targets())
        way = f"did you mean '{close}'?" if close else f"there are {', '.join(targets())}."
        raise click.UsageError(f"There is no target '{name}'; {way}")
    return name


def _documents(paths: tuple[str, ...], stdin_filename: str | None, config: Config) -> Iterator[Document]:
    """The documents to check. A path that is not there is named, and fails the run when nothing else is there."""
    missing = [path for path in paths if path != "-" and not Path(path).exists()]
    if len(missing) == len(paths):
        raise click.UsageError(f"no such file or folder: {', '.join(missing)}")
    for path in missing:
        click.echo(f"promptc: {path}: no such file or folder, skipped", err=True)
    if "-" in paths:
        name = stdin_filename or "<stdin>"
        root = Path(stdin_filename).parent if stdin_filename else Path.cwd()
        yield load(sys.stdin.buffer.read(), name, root=root)
    named = [path for path in paths if path != "-" and path not in missing]
    for found in discover(named, config.exclude):
        try:
            yield read(found)
        except OSError as error:
            raise click.UsageError(f"{found}: {error.strerror or error}") from None


def _fix(document: Document, settings: Settings, *, unsafe: bool, diff: bool) -> Document:
    """Apply fixes until none is left; write the file, or print the difference. Returns the document to report on."""
    from promptc.check import apply_fixes
    from promptc.findings import findings

    source = document.source
    root = Path(source.path).parent
    fixed = document
    for _ in range(_ROUNDS):
        now = fixed.source
        text = apply_fixes(now.text, [one.diagnostic for one in findings(fixed, settings)], unsafe=unsafe)
        if text == now.text:
            break
        fixed = load(now.encode(text), source.path, root=root)
    if diff:
        click.echo(_difference(source.path, source.text, fixed.source.text), nl=False)
        return document
    if source.path == "<stdin>" or not Path(source.path).exists():
        click.echo(fixed.source.encode(), nl=False)
    elif fixed.source.text != source.text:
        write_whole(Path(source.path), fixed.source.encode())
    return fixed


def _difference(path: str, before: str, after: str) -> str:
    import difflib

    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), path, path)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step, keeping its mode: whoever reads it sees the old bytes or the new ones."""
    import os
    import tempfile

    target = path.resolve()  # a link stays a link
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, target.stat().st_mode)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
