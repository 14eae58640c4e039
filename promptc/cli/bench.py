"""`promptc bench`: ours beside what there is, measured in one run on this machine."""

import dataclasses
import gc
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from promptc_runtime.bench import BenchResult


@click.command(short_help="Measure promptc beside what it replaces.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def bench(names: tuple[str, ...], output_format: str) -> None:
    """Run the rows NAME..., or list them all when none is named.

    A row compares ours with a baseline in one run; the ratio says how many times as good ours is. Exit status: 0, or 2
    for a name that is none or for what is not installed.
    """
    from promptc_runtime import bench as rows

    gc.enable()
    known = rows.names()
    if not names:
        click.echo(json.dumps(known) if output_format == "json" else "\n".join(known))
        return
    for name in names:
        if name not in known:
            from promptc.suggest import nearest

            close = nearest(name, known)
            way = f"did you mean '{close}'?" if close else f"there are {', '.join(known)}."
            raise click.UsageError(f"There is no row '{name}'; {way}")
    done = []
    for name in names:
        try:
            done.append(rows.run(name))
        except ModuleNotFoundError as error:
            extra = "pip install 'promptc-toolkit[run,bench]'"
            raise click.ClickException(f"the row {name} needs {error.name}; install with: {extra}") from None
        if output_format == "text":
            click.echo("\n".join(_lines([done[-1]])))
    if output_format == "json":
        found = [dataclasses.asdict(one) for one in done]
        click.echo(json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False, indent=2))


def _lines(results: "Iterable[BenchResult]") -> Iterable[str]:
    for one in results:
        published = "" if one.published_ratio is None else f", published {one.published_ratio:.3g}"
        yield f"{one.name}: ours {one.ours:.4g} {one.unit}, baseline {one.baseline:.4g} {one.unit}, ratio {one.ratio:.3g}{published}"
        for name, value in one.details.items():
            yield f"  {name}: {value if isinstance(value, str) else f'{value:.4g} {one.unit}'}"
