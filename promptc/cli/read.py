"""`promptc read`: what a picture says about itself."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from promptc_runtime.metadata.read import Found


@click.command(short_help="Print what a picture holds beside its pixels.")
@click.argument("image", type=click.Path(path_type=Path))
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def read(image: Path, output_format: str) -> None:
    """Print what IMAGE holds beside its pixels: the prompt, its values and seed, the settings, and the plan.

    Pictures of promptc, of web UIs and of ComfyUI are understood. Exit status: 0 found, 1 the picture says nothing,
    2 no picture or usage.
    """
    try:
        from promptc_runtime.metadata.read import ImageError, read_file
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"reading pictures needs {error.name}; install it with: pip install 'promptc-toolkit[run]'"
        ) from None
    try:
        found = read_file(image)
    except ImageError as error:
        raise click.ClickException(f"{image}: {error}") from None
    except OSError as error:
        raise click.ClickException(f"{image} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if output_format == "json":
        click.echo(json.dumps(_document(found), ensure_ascii=False, indent=2))
    elif found.empty:
        click.echo(
            f"{image} is a {found.format} picture of {found.width}x{found.height}, and says nothing of how it was made."
        )
    else:
        for key, value in _lines(found):
            click.echo(f"{key}: {_indented(value)}")
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    click.get_current_context().exit(1 if found.empty else 0)


def _document(found: "Found") -> dict[str, Any]:
    """All of it as JSON values; what is not there is null or empty."""
    from promptc_runtime.metadata import record

    return {
        "format": found.format,
        "width": found.width,
        "height": found.height,
        "generator": found.generator or None,
        "profile": found.profile,
        "record": json.loads(record.dumps(found.record)) if found.record else None,
        "parameters": found.parameters
        and {
            "prompt": found.parameters.prompt,
            "negative": found.parameters.negative,
            "settings": dict(found.parameters.settings),
        },
        "graphs": {key: dict(graph) for key, graph in found.graphs.items()},
        "texts": dict(found.texts),
        "notes": list(found.notes),
    }


def _lines(found: "Found") -> list[tuple[str, str]]:
    """All of it as pairs for people: the record where there is one, else what other tools wrote."""
    lines = [("generator", found.generator or "not said"), ("picture", f"{found.format} {found.width}x{found.height}")]
    if found.record:
        from promptc_runtime.metadata import record

        fields: dict[str, Any] = json.loads(record.dumps(found.record))
        for key in ("promptc", "generator", "width", "height"):
            fields.pop(key)
        first = ("prompt", "negative", "template", "values", "choices", "seed", "batch_index")
        plan = fields.pop("plan", None)
        order = sorted(fields, key=lambda key: (first.index(key) if key in first else len(first), key))
        lines += [(key, _plain(fields[key])) for key in order]
        if plan is not None:
            lines.append(("plan", json.dumps(plan, ensure_ascii=False)))
    elif found.parameters:
        lines.append(("prompt", found.parameters.prompt))
        if found.parameters.negative:
            lines.append(("negative", found.parameters.negative))
        lines += [(key.lower(), value) for key, value in found.parameters.settings.items()]
    for key, graph in found.graphs.items():
        lines.append((f"ComfyUI {key}", json.dumps(graph, ensure_ascii=False)))
    lines += sorted(found.texts.items())
    return lines


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={json.dumps(item, ensure_ascii=False)}" for key, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _indented(value: str) -> str:
    """A value for a terminal: several lines stand below their key, and control characters are spelled out."""
    value = "".join(letter if letter.isprintable() or letter in " \n" else repr(letter)[1:-1] for letter in value)
    return value if "\n" not in value else "".join(f"\n    {line}" for line in value.split("\n"))
