"""`promptc run`: the pictures of a prompt, or a picture once more."""

from __future__ import annotations

import gc
import secrets
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

if TYPE_CHECKING:
    from promptc.plan.plan import Plan
    from promptc_runtime.engine import Device, Runtime
    from promptc_runtime.result import Result

NEEDED = ("torch", "diffusers", "transformers", "safetensors", "numpy", "PIL", "tifffile")
MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_REFUSED = 1
"""Exit status when the model gives no picture; everything else that stops a run is usage (2)."""


class _Work(NamedTuple):
    """What is to be run: a plan, where its relative paths start, what it is called, and the seed that was drawn."""

    plan: Plan
    source: Path
    title: str
    drawn: int | None = None


@click.command(short_help="Make pictures.")
@click.argument("arguments", nargs=-1, required=True, metavar="FILE...|IMAGE [NAME=VALUE]...")
@click.option(
    "--out", type=click.Path(path_type=Path), default="out", show_default=True, help="The folder for the pictures."
)
@click.option(
    "--seed", type=click.IntRange(min=0, max=2**53 - 1), help="The seed of the first picture; wins over the prompt's."
)
@click.option("--model", metavar="NAME|FOLDER", help="The model; wins over the prompt's.")
@click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True)
@click.option(
    "--cache", type=click.Path(path_type=Path), help="The folder for results that are used again [PROMPTC_CACHE]."
)
@click.option("--no-cache", is_flag=True, help="Use no earlier results, and keep none.")
@click.option("--quiet", is_flag=True, help="Print nothing but what is wrong.")
@click.option(
    "--stdin-filename", metavar="NAME", help="The name to read standard input (-) under; its suffix gives the kind."
)
def run(
    arguments: tuple[str, ...],
    out: Path,
    seed: int | None,
    model: str | None,
    device: Device,
    cache: Path | None,
    no_cache: bool,
    quiet: bool,
    stdin_filename: str | None,
) -> None:
    """Check FILE (.prompt, .txt with a prompt a line, a folder of .prompt files, or - for standard input), and make its
    pictures.

    A prompt without a seed gets one that is drawn and printed. An IMAGE that promptc made is made again, bit for bit
    on the same machine. Exit status: 0 done, 1 findings or no picture, 2 usage or internal error, 130 interrupted.
    """
    gc.enable()
    if cache is not None and no_cache:
        raise click.UsageError("--cache and --no-cache exclude each other")
    file = Path(arguments[0])
    if is_image(file):
        if len(arguments) > 1 or seed is not None or model is not None:
            raise click.UsageError(
                f"{file} is made again as it was: it takes no values, other files, --seed or --model"
            )
        _require_runtime()
        work = _again(file)
    else:
        work = _compiled(arguments, seed, model, stdin_filename)
        _require_runtime()

    from promptc.plan.verify import PlanError
    from promptc_runtime.context import RunError
    from promptc_runtime.imaging.encode import EncodingError
    from promptc_runtime.metadata.read import ImageError
    from promptc_runtime.result import Interrupted

    made = _prepare(out)
    try:
        runtime = _runtime(device, None if no_cache else cache or "auto")
        result = _run(runtime, work, out, quiet=quiet)
        _report(result, work, out, quiet=quiet)
        if is_image(file) and not quiet:
            _compare(file, result)
    except RunError as error:
        click.echo(f"promptc: {error} ({error.name})", err=True)
        sys.exit(_REFUSED if error.name.startswith("non-finite") else 2)
    except (OSError, ImageError, EncodingError, PlanError) as error:
        raise click.ClickException(str(error)) from None
    except Interrupted as stop:
        _stopped(stop, work, cached=not no_cache)
    finally:
        if made is not None:
            _remove_empty(out, made)


def is_image(file: Path) -> bool:
    """Whether a file begins as a picture does."""
    try:
        with file.open("rb") as opened:
            start = opened.read(16)
    except OSError:
        return False
    return start.startswith(MAGIC) or (start[:4] == b"RIFF" and start[8:12] == b"WEBP") or start[4:8] == b"ftyp"


def _require_runtime() -> None:
    """Say how to get the pipeline where it is not installed; nothing is imported for that."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        names = ", ".join(missing)
        raise click.ClickException(f"running needs {names}; install with: pip install 'promptc-toolkit[run]'")


def _compiled(arguments: tuple[str, ...], seed: int | None, model: str | None, stdin_filename: str | None) -> _Work:
    """Check and compile. A prompt without a seed gets one that is drawn here, once."""
    from promptc.cli.compile import compiled

    drawn = None if seed is not None else secrets.randbelow(2**31)  # short enough to be written down
    made = compiled(arguments, seed, model, stdin_filename, fallback=drawn or 0)
    return _Work(made.plan, made.root, made.title, drawn if drawn in _seeds(made.plan) else None)


def _seeds(plan: Plan) -> set[int]:
    from promptc.plan.ops.denoise import Denoise

    return {op.seed for op in plan.ops if isinstance(op, Denoise)}


def _again(image: Path) -> _Work:
    """The plan in a picture's record."""
    from promptc_runtime.remake import NotOurs, plan_of, source_of

    try:
        plan = plan_of(image)
    except NotOurs as error:
        raise click.ClickException(str(error)) from None
    return _Work(plan, source_of(plan, image), image.name)


def _prepare(out: Path) -> Path | None:
    """Have a folder that can be written, before any model is loaded. The uppermost folder that was made for it."""
    made = next((folder for folder in (*reversed(out.parents), out) if not folder.exists()), None)
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / f".{secrets.token_hex(6)}.part"
        probe.touch()
        probe.unlink()
    except FileExistsError:
        raise click.ClickException(f"{out} is a file; --out names a folder") from None
    except OSError as error:
        raise click.ClickException(f"{out} cannot be written: {(error.strerror or str(error)).lower()}") from None
    return made


def _remove_empty(out: Path, made: Path) -> None:
    """Take back the folders that were made, where nothing came into them."""
    for folder in (out, *out.parents):
        try:
            folder.rmdir()
        except OSError:
            return
        if folder == made:
            return


def _runtime(device: Device, cache: Path | str | None) -> Runtime:
    from promptc_runtime.engine import Runtime

    return Runtime(device, cache, note=lambda text: click.echo(f"promptc: {text}", err=True))


def _run(runtime: Runtime, work: _Work, out: Path, *, quiet: bool) -> Result:
    from promptc_runtime.progress import Silent, for_stream

    progress = Silent() if quiet else for_stream(sys.stderr)
    return runtime.run(work.plan, out, source=work.source, progress=progress)


def _report(result: Result, work: _Work, out: Path, *, quiet: bool) -> None:
    from promptc_runtime.contact import write_sheet

    page = write_sheet(result, work.plan, out, work.title)
    if quiet:
        return
    for path, seed in result.seed_of.items():
        click.echo(f"{path}" if seed is None else f"{path}  seed {seed}")
    click.echo(f"{page}")
    count = len(result.images)
    cached = sum(timing.cached for timing in result.timings.values())
    kept = f", {cached} of {len(result.timings)} results from the cache" if cached else ""
    click.echo(f"{count} {'picture' if count == 1 else 'pictures'} in {result.seconds:.1f} s{kept}")


def _compare(image: Path, result: Result) -> None:
    from promptc_runtime.remake import same_pixels

    for path in result.files:
        if same_pixels(image, path):
            click.echo(f"the same pixels as {image}")
        else:
            click.echo(f"promptc: {path} has other pixels than {image}: it was encoded with other settings,", err=True)
            click.echo("promptc: changed since, or made by other versions or on another machine", err=True)


def _stopped(stop: object, work: _Work, *, cached: bool) -> NoReturn:
    from promptc_runtime.result import Interrupted

    assert isinstance(stop, Interrupted)
    done = f"stopped: {stop.pictures} of {stop.wanted} pictures are finished, and every file written is whole."
    seed = "" if work.drawn is None else f" with --seed {work.drawn}"
    way = f" Run it again{seed} to go on from the cache." if cached else ""
    click.echo(done + way, err=True)
    # CPython remembers an interrupt inside of code that was compiled from a string (a dataclass, in an import), and then
    # ends by the signal whatever the status is. Running such code once more makes it forget.
    exec("")
    sys.exit(130)
