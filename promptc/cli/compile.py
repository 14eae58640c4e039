"""`promptc compile`: the plan of a prompt."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from promptc.plan.plan import Plan


class Compiled(NamedTuple):
    """A plan, the folder that its relative paths start at, and what it is called."""

    plan: "Plan"
    root: Path
    title: str


@click.command(short_help="Print the plan of a prompt.")
@click.argument("arguments", nargs=-1, required=True, metavar="FILE... [NAME=VALUE]...")
@click.option("--emit", default="text", show_default=True, metavar="FORM", help="text, json, dot or mermaid.")
@click.option(
    "--seed", type=click.IntRange(min=0, max=2**53 - 1), help="The seed of the first picture; wins over the prompt's."
)
@click.option("--model", metavar="NAME|FOLDER", help="The model; wins over the prompt's.")
@click.option(
    "--stdin-filename", metavar="NAME", help="The name to read standard input (-) under; its suffix gives the kind."
)
def compile(  # noqa: A001
    arguments: tuple[str, ...], emit: str, seed: int | None, model: str | None, stdin_filename: str | None
) -> None:
    """Check FILE (.prompt, .txt with a prompt a line, a folder of .prompt files, or - for standard input), fill in the
    values, and print the plan.

    A prompt without a seed gets the seed 0, so that equal prompts make equal plans. Exit status: 0 compiled,
    1 findings, 2 usage or internal error.
    """
    from promptc.plan import printers

    if emit not in printers.names():
        raise click.UsageError(f"there is no form '{emit}'; there are {', '.join(printers.names())}")
    click.echo(printers.write(compiled(arguments, seed, model, stdin_filename).plan, emit))


def compiled(
    arguments: Sequence[str], seed: int | None, model: str | None, stdin_filename: str | None, *, fallback: int = 0
) -> Compiled:
    """Check and compile what a command line names. With findings that are errors, prints them and ends with status 1.

    `fallback` is the seed of a prompt without one. Raises click.UsageError.
    """
    from promptc.errors import BindError, PromptError
    from promptc.lower import lower
    from promptc.plan.verify import PlanError
    from promptc.program import read_assignments, read_inputs, read_program, split_arguments
    from promptc.project import ConfigError
    from promptc.report.full import render
    from promptc.request import Defaults

    files, values = split_arguments(arguments)
    title = ", ".join(file.name or str(file) for file in files)
    if not files:
        raise click.UsageError("no file is named, only values")
    try:
        texts = read_assignments(values)
        inputs = read_inputs(files, stdin_filename)
        program = read_program(inputs, model)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        hint = "" if Path(str(error.filename)).suffix else " (values are written name=value)"
        raise click.UsageError(f"{error.filename} cannot be read: {reason}{hint}") from None
    except (ConfigError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    color = sys.stderr.isatty()
    if program.findings:
        click.echo(render(program.findings, color=color), nl=False, err=True)
    if program.broken:
        sys.exit(1)
    if not program.definitions:
        raise click.UsageError(f"{title} holds no prompt")
    try:
        plan = lower(program.bind(texts), Defaults(program.settings, seed=seed, model=model, fallback=fallback))
    except BindError as error:
        raise click.UsageError(str(error)) from None
    except PromptError as error:
        click.echo(error.report(color=color), err=True)
        sys.exit(1)
    except PlanError as error:
        click.echo(f"{title}: {error}", err=True)
        sys.exit(1)
    return Compiled(plan, inputs[0].root, title)
