"""`promptc inspect`: what a text encoder is told."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from promptc.settings import DEFAULT_TARGET

if TYPE_CHECKING:
    from promptc.meaning import Meaning, Spans
    from promptc.reading import Reading, Readings
    from promptc.tokens import Vocabulary


@click.command(short_help="Show what an encoder is told.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--steps", type=click.IntRange(1, 1000), help="Steps of the run; wins over the prompt's own.")
@click.option(
    "--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="What choices are made by."
)
@click.option("--target", metavar="NAME", help="The model family whose tokens are counted: sd15, sdxl, flux ...")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--stdin-filename", metavar="NAME", help="The name to read standard input (-) under; its suffix gives the kind."
)
def inspect(
    file: Path,
    values: tuple[str, ...],
    steps: int | None,
    seed: int,
    target: str | None,
    output_format: str,
    stdin_filename: str | None,
) -> None:
    """Show what an encoder is told by the prompts of FILE (or of -, standard input), with these values filled in.

    A placeholder without a value is shown as {name}. The spans are those of the first step of the first branch;
    `detail` has those of every step and branch. A file of several prompts gives a list.
    Exit status: 0 clean, 1 findings, 2 usage or internal error.
    """
    readings = read_file(file, values, target, stdin_filename)
    found = []
    for reading in readings.prompts:
        told, readings = _inspect(readings, reading, seed, steps)
        if readings.negative is not None:
            negative, readings = _inspect(readings, readings.negative, seed, steps or told["steps"])
            told["negative"] = {key: negative[key] for key in ("spans", "schedule", "branches", "detail", "networks")}
        found.append(told)
    if output_format == "json":
        from promptc.report.json import to_json

        for told in found:
            told["diagnostics"] = [to_json(one) for one in readings.findings]
        shown = found[0] if len(found) == 1 else found
        if not found:
            shown = {
                "file": str(readings.document.source.path),
                "diagnostics": [to_json(one) for one in readings.findings],
            }
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        from promptc.report.full import render

        click.echo("\n".join(map(_text, found)), nl=False)
        click.echo(render(readings.findings, color=sys.stderr.isatty()), nl=False, err=True)
    sys.exit(1 if readings.errors() else 0)


def read_file(
    file: Path,
    values: tuple[str, ...],
    target: str | None,
    stdin_filename: str | None,
    *,
    default: str = DEFAULT_TARGET,
) -> "Readings":
    """The prompts of a file named on the command line. Raises click.UsageError."""
    from promptc.cli.check import known_target
    from promptc.errors import BindError
    from promptc.program import read_assignments, read_input
    from promptc.project import ConfigError
    from promptc.reading import read

    target = known_target(target)
    try:
        texts = read_assignments(values)
        return read(*read_input(file, stdin_filename), texts, target, default=default)
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (ConfigError, BindError, ValueError) as error:
        raise click.UsageError(str(error)) from None


def _inspect(
    readings: "Readings", reading: "Reading", seed: int, steps: int | None
) -> "tuple[dict[str, Any], Readings]":
    from promptc.choose import ChoiceError, Picks, draw, resolve
    from promptc.meaning import meaning
    from promptc.reading import with_problem
    from promptc.wildcards import WildcardError

    root, picks = reading.root, Picks()
    try:
        picks = draw(root, seed, reading.wildcards)
        root = reading.fill(resolve(root, picks, reading.wildcards))
    except WildcardError as error:
        fault = error.fault
        readings = with_problem(readings, reading, fault.span, "E1101", "unknown-wildcard", fault.message, fault.help)
    except ChoiceError as error:
        readings = with_problem(readings, reading, error.span, "E1102", "choice-count", str(error))
    parameters = _parameters(root)
    run = steps or parameters.get("steps")
    run = run if isinstance(run, int) and 1 <= run <= 1000 else reading.target.steps
    told = meaning(root, run, strict=False)
    first = told.branches[0].segments if told.branches else ()
    return {
        "file": str(readings.document.source.path),
        "line": reading.line,
        "steps": run,
        "seed": seed,
        "choices": picks,
        "spans": [_rounded(span) for part in first[0].parts for span in part] if first else [],
        "schedule": [[segment.last, segment.text] for segment in first],
        "branches": [[branch.text, round(branch.weight, 6)] for branch in told.branches],
        "detail": [
            {
                "weight": round(branch.weight, 6),
                "schedule": [
                    {
                        "last": one.last,
                        "text": one.text,
                        "parts": [[_rounded(span) for span in part] for part in one.parts],
                    }
                    for one in branch.segments
                ],
            }
            for branch in told.branches
        ],
        "networks": [
            {
                "kind": one.kind,
                "name": one.name,
                "te": round(one.te, 6),
                "unet": round(one.unet, 6),
                "steps": [list(steps) for steps in one.active],
            }
            for one in told.networks
        ],
        "parameters": parameters,
        "tokens": _tokens(told, reading),
    }, readings


def _rounded(span: tuple[str, float]) -> list[Any]:
    return [span[0], round(span[1], 6)]


def _parameters(root: Any) -> dict[str, Any]:
    """What the parameters mean, by name: numbers and texts as such, anything else as it is written."""
    from promptc.parameters import BadParameter, read, resolve
    from promptc.terms import plain

    written: dict[str, Any] = {}
    for one in read(root):
        text = plain(one.parameter.value).strip()
        written[one.spec.name] = f"{written[one.spec.name]}, {text}" if one.spec.name in written else text
    try:
        meant = resolve(root).given
    except BadParameter:
        return written
    return {
        name: meant[name] if isinstance(meant.get(name), int | float | str) else text for name, text in written.items()
    }


def _tokens(told: "Meaning", reading: "Reading") -> list[dict[str, Any]]:
    """For each encoder the tokens of the fullest step and branch, by part; markers are not among them."""
    from promptc.window import windows

    verdicts = windows(reading.root, reading.target, told.steps, reading.unit.context, reading.wildcards)
    rows = []
    for encoder in reading.target.encoders:
        vocabulary = encoder.known()
        row: dict[str, Any] = {"encoder": encoder.name, "window": encoder.window, "markers": encoder.markers}
        if vocabulary is not None:
            every = [_sizes(one.parts, vocabulary) for branch in told.branches for one in branch.segments]
            parts = max(every, key=sum, default=[0])
            row |= {"tokens": sum(parts), "parts": parts}
        mine = [one for one in verdicts if one.encoder.name == encoder.name]
        worst = max(mine, key=lambda one: (one.verdict == "always", one.verdict == "may", one.over), default=None)
        if worst is not None:
            row |= {"over": worst.verdict, "least": worst.least, "most": worst.most, "lost": worst.lost or None}
            row |= {"counted": worst.counted, "overflow": worst.overflow}
        rows.append(row)
    return rows


def _sizes(parts: "Sequence[Spans]", vocabulary: "Vocabulary") -> list[int]:
    from promptc.tokens import count

    return [sum(count(text, vocabulary) for text, _ in part) for part in parts]


def _text(told: dict[str, Any]) -> str:
    lines = [f"{told['file']}:{told['line']}, {told['steps']} steps"]
    for number, branch in enumerate(told["detail"], 1):
        if len(told["detail"]) > 1:
            lines.append(f"  branch {number}, weight {branch['weight']:g}")
        start = 1
        for segment in branch["schedule"]:
            lines.append(f"  steps {start} to {segment['last']}")
            for at, part in enumerate(segment["parts"]):
                if at:
                    lines.append("    BREAK")
                lines.extend(f"    {weight:<8g} {json.dumps(text, ensure_ascii=False)}" for text, weight in part)
            start = segment["last"] + 1
    for network in told["networks"]:
        spans = ", ".join(f"{first} to {last}" for first, last in network["steps"]) or "none"
        weights = f"te {network['te']:g}, unet {network['unet']:g}, steps {spans}"
        lines.append(f"  {network['kind']} {network['name']}: {weights}")
    lines.extend(f"  --{name} {value}" for name, value in told["parameters"].items())
    for row in told["tokens"]:
        counted = f"{row['tokens']} of {row['window']} tokens" if "tokens" in row else "not counted"
        lines.append(f"  {row['encoder']}: {counted}")
    if "negative" in told:
        parts = told["negative"]["detail"][0]["schedule"][0]["parts"]
        text = " BREAK ".join("".join(text for text, _ in part) for part in parts)
        lines.append(f"  negative: {json.dumps(text, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"
