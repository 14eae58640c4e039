"""`promptc migrate --from fstring PATH…`: rewrites Python sources to use promptc."""

import difflib
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from promptc.source import Source
    from promptc_plugins.codemods import Migration


def _known() -> list[str]:
    from promptc_plugins.codemods import names

    return names()


@click.command(short_help="Turn f-strings into prompts.")
@click.option("--from", "kind", required=True, metavar="KIND", help="What to migrate from: fstring.")
@click.option(
    "--name",
    "words",
    multiple=True,
    metavar="WORD",
    help="Another word that names a prompt, beside `prompt`; also a function that takes one.",
)
@click.option("--diff", is_flag=True, help="Show the changes, write nothing.")
@click.option("--check", "dry", is_flag=True, help="Write nothing; exit 1 if anything would change.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def migrate(kind: str, words: tuple[str, ...], diff: bool, dry: bool, paths: tuple[Path, ...]) -> None:
    """Rewrite Python sources to use promptc.

    With `--from fstring`, an f-string that is assigned to a name with `prompt` in it, passed as such an argument, given
    to a function called `…_prompt`, `pipe` or `pipeline`, or returned by one called `…prompt…`, becomes a template and
    its call; so does any in a statement with the comment `# promptc: migrate`. The rest of the file keeps every byte. What cannot be converted is reported
    and left as it is; exit status 1 says that there was some.
    """
    if kind not in _known():
        raise click.BadParameter(
            f"there is no migration from '{kind}'; there are {', '.join(_known())}", param_hint="--from"
        )
    from promptc.project import discover

    changed = converted = left = 0
    taken: list[str] = []
    for path in discover([str(path) for path in paths]):
        if path.suffix not in (".py", ".pyi"):
            continue
        made, differs = _file(kind, path, words, diff=diff, write=not (diff or dry))
        converted, left, changed = converted + made.converted, left + len(made.problems), changed + differs
        taken += made.taken
    would = "would be " if diff or dry else ""
    click.echo(
        f"{_count(converted, 'prompt')} {would}converted in {_count(changed, 'file')}, {left} left as they are",
        err=True,
    )
    if taken:
        said = ", ".join(dict.fromkeys(taken))
        click.echo(f"Taken to be texts: {said}. Where one is a number, write its type, as in {{age: int}}.", err=True)
    if left or (dry and changed):
        raise click.exceptions.Exit(1)


def _file(kind: str, path: Path, words: tuple[str, ...], *, diff: bool, write: bool) -> "tuple[Migration, bool]":
    from promptc.report import Finding
    from promptc.report.full import render
    from promptc.source import NotUtf8, Source, Span, decode
    from promptc_plugins.codemods import Migration, problem

    try:
        source = decode(path.read_bytes(), str(path))
    except NotUtf8 as error:
        source = Source(str(path), "")
        made = Migration("", 0, (problem(Span(0, 0), f"it is no UTF-8: byte {error.offset}: {error.reason}"),))
    else:
        made = _convert(kind, source, words)
    if made.problems:
        click.echo(render([Finding(source, one) for one in made.problems]), err=True, nl=False)
    differs = made.text != source.text
    if differs and diff:
        sys.stdout.write(_diff(path, source.text, made.text))
    elif differs and write:
        _replace(path.resolve(), source.encode(made.text))
    return made, differs


def _convert(kind: str, source: "Source", words: tuple[str, ...]) -> "Migration":
    from promptc_plugins.codemods import migrate as convert

    try:
        return convert(kind, source, words)
    except ImportError as error:
        raise click.ClickException(f'{error.name} is not installed: pip install "promptc-toolkit[fix]"') from None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _diff(path: Path, before: str, after: str) -> str:
    name = path.as_posix()
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Lines with their ends; `splitlines` would also split at characters that end no line of a file."""
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _replace(path: Path, data: bytes) -> None:
    """Write a file whole: to a temporary name beside it, then renamed over it, with its mode."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, path.stat().st_mode & 0o7777)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
