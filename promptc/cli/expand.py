"""`promptc expand`: the prompts that choices and wildcards make."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from promptc.choose import Picks
    from promptc.reading import Reading
    from promptc.tree import Root


@click.command(short_help="List or count the prompts that choices make.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--count", "counting", is_flag=True, help="Print how many there are, and list none.")
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), help="Pick by chance: the same seed picks the same prompt.")
@click.option(
    "-n", "number", type=click.IntRange(min=1), help="With --seed N: pick for the seeds N, N + 1 ... this many."
)
@click.option("--limit", type=click.IntRange(min=0), help="List at most so many; more are an error.  [default: 256]")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--stdin-filename", metavar="NAME", help="The name to read standard input (-) under; its suffix gives the kind."
)
def expand(
    file: Path,
    values: tuple[str, ...],
    counting: bool,
    seed: int | None,
    number: int | None,
    limit: int | None,
    output_format: str,
    stdin_filename: str | None,
) -> None:
    """List the prompts that the choices and wildcards in FILE (or in -, standard input) make, one a line.

    The last choice changes fastest. Exit status: 0 clean, 1 findings, 2 usage or internal error.
    """
    from promptc.choose import LIMIT, ChoiceError, TooManyError, count
    from promptc.cli.inspect import read_file
    from promptc.dialects.native import Unspeakable
    from promptc.report.full import render
    from promptc.settings import EMBEDDED
    from promptc.wildcards import WildcardError

    if counting and (seed is not None or number is not None or limit is not None):
        raise click.UsageError("--count counts all prompts; it goes with none of --seed, -n and --limit")
    if limit is not None and (seed is not None or number is not None):
        raise click.UsageError("--limit is for the list of all prompts; -n says how many are picked by chance")
    # Whether a text fits its encoder is no question of expansion: promptc's own model reads any.
    readings = read_file(file, values, None, stdin_filename, default=EMBEDDED)
    click.echo(render(readings.findings, color=sys.stderr.isatty()), nl=False, err=True)
    # Nothing is chosen from a prompt that cannot be read; what else is wrong with it does not stand in the way.
    if readings.errors("E0", "E10", "E11"):
        sys.exit(1)
    try:
        if counting:
            total = sum(count(one.root, one.wildcards) for one in readings.prompts)
            click.echo(_count(total, output_format))
        else:
            if seed is None and number is None:
                prompts = _all(readings.prompts, LIMIT if limit is None else limit)
            else:
                prompts = _sampled(readings.prompts, seed or 0, number or 1)
            if output_format == "json":
                listed = list(prompts)
                click.echo(json.dumps({"count": len(listed), "prompts": listed}, ensure_ascii=False, indent=2))
            else:
                for prompt in prompts:  # one at a time, however many there are
                    click.echo(" ".join(prompt["text"].split()))
    except TooManyError as error:
        way = "raise --limit, pick some with --seed 0 -n 10, or see the number with --count"
        click.echo(f"{file}: {error}; {way}", err=True)
        sys.exit(1)
    except WildcardError as error:
        click.echo(f"{file}: {error}" + (f"; {error.fault.help}" if error.fault.help else ""), err=True)
        sys.exit(1)
    except (ChoiceError, Unspeakable) as error:
        click.echo(f"{file}: {error}", err=True)
        sys.exit(1)
    sys.exit(1 if readings.errors() else 0)


def _all(readings: "Sequence[Reading]", limit: int) -> Iterator[dict[str, Any]]:
    from promptc.choose import TooManyError, count, expand_picks, factors

    counts = [count(one.root, one.wildcards) for one in readings]
    if sum(counts) > limit:
        shown = factors(readings[0].root, readings[0].wildcards) if len(readings) == 1 else []
        raise TooManyError(sum(counts), limit, shown)
    for one in readings:
        for root, picks in expand_picks(one.root, one.wildcards, limit=None):
            yield _prompt(one, root, picks)


def _sampled(readings: "Sequence[Reading]", seed: int, number: int) -> Iterator[dict[str, Any]]:
    from promptc.choose import draw, resolve

    for one in readings:
        for each in range(seed, seed + number):
            picks = draw(one.root, each, one.wildcards)
            yield {**_prompt(one, resolve(one.root, picks, one.wildcards), picks), "seed": each}


def _prompt(reading: "Reading", root: "Root", picks: "Picks") -> dict[str, Any]:
    return {"line": reading.line, "text": _spelt(reading.fill(root)), "choices": picks}


def _spelt(root: "Root") -> str:
    """A prompt without its comments; what was picked means beside its neighbours what it meant within its braces."""
    from promptc.bind import rewrite
    from promptc.dialects.native import emit
    from promptc.tree import Comment

    return emit(rewrite(root, lambda node: None if isinstance(node, Comment) else node), comments=True).strip()


def _count(total: int, output_format: str) -> str:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # the number is ours, and may be long
    try:
        return json.dumps({"count": total}) if output_format == "json" else str(total)
    finally:
        sys.set_int_max_str_digits(limit)
