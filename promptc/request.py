"""What a bound prompt asks for: its parameters, with the defaults of its model where it says nothing.

A default never takes the place of a value that was given. What this version cannot do is refused with its place in
the prompt, never left out.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from promptc import tree
from promptc.check import locate
from promptc.checkpoint import UnknownModel, target_of
from promptc.diagnostic import Diagnostic
from promptc.encoders import Target
from promptc.errors import PromptError
from promptc.parameters import BadParameter, Call, Parameters, Size, resolve
from promptc.parameters import find as find_parameter
from promptc.plan.ops.denoise import MAX_SEED
from promptc.settings import EMBEDDED, Settings
from promptc.size import fit
from promptc.source import Fragment, Source, Span
from promptc.template import Prompt
from promptc.walk import walk

SEED = 0
"""The seed of a prompt that names none: a plan is the same whenever it is compiled. `promptc run` draws one."""

UNSUPPORTED = {"sref": "style references", "sw": "style references"}
"""Parameters that are checked, and not run by this version."""


@dataclass(frozen=True)
class Defaults:
    """What the caller decides. `seed` and `model` win over the prompts' own; `fallback` is for those without a seed."""

    settings: Settings
    seed: int | None = None
    fallback: int = SEED
    model: str | None = None


@dataclass(frozen=True)
class Turns:
    """How often a prompt is made: `repeat` times with new choices, each time `batch` pictures; seeds count up."""

    seed: int
    batch: int
    repeat: int


@dataclass(frozen=True)
class Request:
    """What one turn of a prompt asks for. Sizes are in pixels; without `widths` files have the picture's own size."""

    prompt: Prompt
    folder: Path
    model: str
    target: Target
    width: int
    height: int
    steps: int
    sampler: str
    guidance: float
    rescale: float
    clip_skip: int
    weighting: str
    tile: bool
    init: str | None
    strength: float | None
    print: Call | None
    widths: tuple[int, ...]
    formats: tuple[str, ...]
    quality: int | None


def turns_of(prompt: Prompt, defaults: Defaults) -> Turns:
    """The seed and the numbers of pictures; no choice can be in them. Raises PromptError."""
    given = _resolve(prompt, replace(prompt.root, parameters=_named(prompt.root, "seed", "batch", "repeat")))
    batch, repeat = (given.value(name, int) or 1 for name in ("batch", "repeat"))
    own = given.value("seed", int)
    seed = next(one for one in (defaults.seed, own, defaults.fallback) if one is not None)
    if seed + batch * repeat - 1 > MAX_SEED:
        message = f"the seeds of {batch * repeat} pictures end above {MAX_SEED}"
        refuse_at(prompt, "E1302", "parameter-value", span_of(prompt, "seed"), message, help="take a smaller seed")
    return Turns(seed, batch, repeat)


def request_of(prompt: Prompt, root: tree.Root, defaults: Defaults) -> Request:
    """Read the parameters of a prompt whose choices are resolved. Raises PromptError for what does not hold."""
    settings = defaults.settings
    folder = settings.root or Path()
    given = _resolve(prompt, root)

    def pick(name: str, kind: type[Any], default: Any) -> Any:
        """The value given, else this default: the table's own does not count where the model has one."""
        return given.value(name, kind) if name in given.given else default

    model = defaults.model or pick("model", str, prompt.model) or EMBEDDED
    try:
        target = target_of(model, prompt.target or settings.target, folder)
    except UnknownModel as error:
        refuse_at(prompt, "E1505", "model", span_of(prompt, "model"), str(error), help=error.help)
    width, height = _size(prompt, given, target)
    init = given.value("init", str)
    return Request(
        prompt=prompt,
        folder=folder,
        model=model,
        target=target,
        width=width,
        height=height,
        steps=pick("steps", int, target.steps),
        sampler=pick("sampler", str, target.sampler),
        guidance=pick("guidance", float, target.guidance),
        rescale=pick("guidance-rescale", float, target.rescale),
        clip_skip=pick("clip-skip", int, 1),
        weighting=pick("weighting", str, "webui"),
        tile=pick("tile", bool, False),
        init=init,
        strength=given.value("strength", float) if init is not None else None,
        print=given.value("print", Call),
        widths=pick("out", tuple, ()),
        formats=pick("format", tuple, ("webp",)),
        quality=given.value("quality", int),
    )


def _resolve(prompt: Prompt, root: tree.Root) -> Parameters:
    try:
        return resolve(root)
    except BadParameter as error:
        refuse(prompt, error.diagnostic)


def _named(root: tree.Root, *names: str) -> tuple[tree.Parameter, ...]:
    return tuple(one for one in root.parameters if (spec := find_parameter(one)) is not None and spec.name in names)


def _size(prompt: Prompt, given: Parameters, target: Target) -> tuple[int, int]:
    size = given.value("size", Size)
    if size is None:
        ratio = given.value("ar", Size)
        return target.size if ratio is None else fit((ratio.width, ratio.height), target.size, target.step)
    for side in size:
        if side % target.step:
            near = side - side % target.step
            message = f"{side} is no multiple of {target.step}, as {target.title} wants it"
            way = f"{near} and {near + target.step} are the nearest"
            refuse_at(prompt, "E1302", "parameter-value", span_of(prompt, "size"), message, help=way)
    return size.width, size.height


def refuse_unsupported(prompt: Prompt, root: tree.Root, place: tree.Node | None = None) -> None:
    """Refuse what is checked and not run by this version: style references, networks, embeddings.

    It is shown at `place` where the root is of another text than the prompt's.
    """
    found: list[Diagnostic] = []
    for node in walk(root):
        what = None
        if isinstance(node, tree.Network):
            kind = node.kind.text
            what = "embeddings" if kind == "embedding" else f"networks (`<{kind}:…>`)"
        elif isinstance(node, tree.Parameter) and (spec := find_parameter(node)) is not None:
            what = UNSUPPORTED.get(spec.name)
        if what is not None:
            message = f"{what} are checked, and not run by this version"
            found.append(
                Diagnostic(
                    "E1504",
                    "unsupported",
                    "error",
                    message,
                    Span(node.start, node.end),
                    help="leave it out to run the prompt",
                )
            )
    if found:
        refuse(prompt, *found)


def refuse(prompt: Prompt, *diagnostics: Diagnostic) -> NoReturn:
    """Raise PromptError for diagnostics in the prompt's own offsets."""
    fragment = prompt.fragment or Fragment(Source("<prompt>", prompt.template), prompt.template)
    raise PromptError(fragment.origin, [locate(one, fragment) for one in diagnostics])


def refuse_at(
    prompt: Prompt, code: str, name: str, span: Span, message: str, label: str = "", help: str = ""
) -> NoReturn:
    """Raise PromptError for one place of the prompt."""
    refuse(prompt, Diagnostic(code, name, "error", message, span, label, help=help))


def span_of(prompt: Prompt, parameter: str) -> Span:
    """The place of a parameter; the beginning of the prompt where it is not given."""
    return next((Span(one.start, one.end) for one in _named(prompt.root, parameter)), Span(0, 0))
