"""`promptc compile`: the plan of a prompt."""

import sys
from pathlib import Path

import click

from promptc.errors import BindError, PromptError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--emit", default="text", show_default=True, metavar="FORM", help="text, json, dot or mermaid.")
@click.option(
    "--seed", type=click.IntRange(min=0, max=2**53 - 1), help="The seed of the first picture; wins over the prompt's."
)
@click.option("--model", metavar="NAME|FOLDER", help="The model; wins over the prompt's.")
@click.option(
    "--stdin-filename", metavar="NAME", help="The name to read standard input (-) under; its suffix gives the kind."
)
def compile(  # noqa: A001
    file: Path, values: tuple[str, ...], emit: str, seed: int | None, model: str | None, stdin_filename: str | None
) -> None:
    """Check FILE (.prompt, .txt with a prompt a line, or - for standard input), fill in the values, and print the plan.

    A prompt without a seed gets the seed 0, so that equal prompts make equal plans. Exit status: 0 compiled,
    1 findings, 2 usage or internal error.
    """
    from promptc.lower import lower
    from promptc.plan import printers
    from promptc.plan.verify import PlanError
    from promptc.program import read_assignments, read_input, read_program
    from promptc.project import ConfigError
    from promptc.report.full import render
    from promptc.request import Defaults

    if emit not in printers.names():
        raise click.UsageError(f"there is no form '{emit}'; there are {', '.join(printers.names())}")
    try:
        texts = read_assignments(values)
        data, path, root = read_input(file, stdin_filename)
        program = read_program(data, path, root=root, model=model)
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (ConfigError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    color = sys.stderr.isatty()
    if program.findings:
        click.echo(render(program.findings, color=color), nl=False, err=True)
    if program.broken:
        sys.exit(1)
    if not program.definitions:
        raise click.UsageError(f"{file} holds no prompt")
    try:
        prompts = program.bind(texts)
        plan = lower(prompts, Defaults(program.settings, seed=seed, model=model))
    except BindError as error:
        raise click.UsageError(str(error)) from None
    except PromptError as error:
        click.echo(error.report(color=color), err=True)
        sys.exit(1)
    except PlanError as error:
        click.echo(f"{file}: {error}", err=True)
        sys.exit(1)
    click.echo(printers.write(plan, emit))
