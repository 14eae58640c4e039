"""Bound prompts into a plan: the ops of every picture, which the passes then share and group."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from promptc import tree
from promptc.bind import fill, rewrite
from promptc.choose import ChoiceError, Picks, draw, resolve
from promptc.dialects.native import Unspeakable, emit
from promptc.formats import formats
from promptc.meaning import Spans, meaning
from promptc.names import file_name
from promptc.parameters import find as find_parameter
from promptc.parse import parse
from promptc.plan.op import InvalidOp, Op, Ref, Type
from promptc.plan.ops.decode import Decode
from promptc.plan.ops.denoise import Denoise, Guide, Until
from promptc.plan.ops.describe import Describe, Described
from promptc.plan.ops.encode import Encode
from promptc.plan.ops.encode_image import EncodeImage
from promptc.plan.ops.encode_text import EncodeText
from promptc.plan.ops.load_image import LoadImage
from promptc.plan.ops.resize import Resize
from promptc.plan.ops.store import Store
from promptc.plan.passes import optimize
from promptc.plan.plan import Plan
from promptc.plan.registry import specs
from promptc.plan.verify import verify
from promptc.request import Defaults, Request, refuse_at, refuse_unsupported, request_of, span_of, turns_of
from promptc.source import Span
from promptc.template import Prompt
from promptc.values import show
from promptc.walk import leaves, print_tree, walk
from promptc.wildcards import WildcardError, Wildcards, locate


def lower(prompts: Sequence[Prompt], defaults: Defaults) -> Plan:
    """One verified plan for all prompts; equal work in them is done once.

    Raises PromptError for what a prompt cannot have, at its place.
    """
    ops: list[Op] = []
    outputs: list[Ref] = []
    for prompt in prompts:
        outputs.extend(_files(prompt, defaults, ops))
    plan = optimize(Plan(ops=tuple(ops), outputs=tuple(outputs)))
    verify(plan)
    return plan


def _add(ops: list[Op], op: Op) -> Ref:
    ops.append(op)
    return op.id


def _files(prompt: Prompt, defaults: Defaults, ops: list[Op]) -> Iterator[Ref]:
    """The ops of every picture of a prompt; yields the files."""
    refuse_unsupported(prompt, prompt.root)
    turns = turns_of(prompt, defaults)
    wildcards = locate(defaults.settings.wildcards, defaults.settings.root)
    for turn in range(turns.repeat):
        first = turns.seed + turn * turns.batch
        root, picks = _choose(prompt, prompt.root, first, wildcards)
        request = request_of(prompt, root, defaults)
        negatives = list(_spoken_negatives(prompt, root))
        if prompt.negative is not None:
            avoided, more = _choose(prompt.negative, prompt.negative.root, first, wildcards)
            negatives.insert(0, avoided)
            picks = [*picks, *more]
        positive, negative = _guides(request, root), _negative(request, negatives)
        about = Described(
            prompt=_spelt(root),
            negative=", ".join(filter(None, map(_spelt, negatives))),
            template=prompt.template,
            values={name: _plain(value) for name, value in prompt.values},
            choices=tuple(pick if isinstance(pick, int) else tuple(pick) for pick in picks),
            seed=first,
            width=request.width,
            height=request.height,
            steps=request.steps,
            sampler=request.sampler,
            guidance=request.guidance,
            clip_skip=request.clip_skip,
            model=request.model,
        )
        for place in range(turns.batch):
            mine = {"seed": first + place, "batch_index": turn * turns.batch + place}
            latents = _denoise(request, ops, positive, negative, first + place)
            yield from _outputs(request, ops, latents, about.model_copy(update=mine), _title(positive))


# The text


def _choose(prompt: Prompt, root: tree.Root, seed: int, wildcards: Wildcards) -> tuple[tree.Root, Picks]:
    """The prompt that a seed picks, with its values in the entries of wildcards too."""
    try:
        picks = draw(root, seed, wildcards)
        resolved = resolve(root, picks, wildcards)
    except WildcardError as error:
        fault = error.fault
        refuse_at(prompt, "E1101", "unknown-wildcard", fault.span, fault.message, help=fault.help)
    except ChoiceError as error:
        refuse_at(prompt, "E1102", "choice-count", error.span, str(error))
    if picks:
        resolved = fill(resolved, dict(prompt.values))
        refuse_unsupported(prompt, resolved)
    for node in walk(resolved):
        if isinstance(node, tree.Placeholder):
            name = node.name.text
            message = f"an entry of a wildcard asks for `{name}`, which the prompt does not have"
            refuse_at(prompt, "E0931", "unknown-placeholder", Span(node.start, node.end), message)
    return resolved, picks


def _spoken_negatives(prompt: Prompt, root: tree.Root) -> Iterator[tree.Root]:
    """Each `--no` as the prompt of its own that it is, over the same values."""
    comments = prompt.fragment is not None and prompt.fragment.comments
    for parameter in root.parameters:
        spec = find_parameter(parameter)
        if spec is not None and spec.name == "no":
            # A value must not be parsed: its placeholder takes its place once more.
            written = "".join(
                f"{{{leaf.name}}}" if isinstance(leaf, tree.Value) else leaf.text
                for part in parameter.value
                for leaf in leaves(part)
            )
            found = fill(parse(written, comments=comments), dict(prompt.values))
            refuse_unsupported(prompt, found, parameter)
            yield found


Texts = tuple[tuple[int, tuple[Spans, ...]], ...]
"""What is encoded, up to and including each of these steps."""


def _guides(request: Request, root: tree.Root) -> list[tuple[float, Texts]]:
    """The branches of a prompt: weight and texts."""
    found = meaning(root, request.steps)
    return [(branch.weight, tuple((one.last, one.parts) for one in branch.segments)) for branch in found.branches]


def _negative(request: Request, roots: Sequence[tree.Root]) -> Texts:
    """All negative prompts as one text, with commas between."""
    each: list[Texts] = []
    for root in roots:
        guides = _guides(request, root)
        if len(guides) > 1:
            message = "a negative prompt has one text, and this one has an `AND`"
            refuse_at(
                request.prompt, "E1504", "unsupported", span_of(request.prompt, "no"), message, help="use a comma"
            )
        each.append(guides[0][1])
    lasts = sorted({last for texts in each for last, _ in texts} | {request.steps})
    return tuple((last, _joined([_at(texts, last) for texts in each])) for last in lasts)


def _at(texts: Texts, step: int) -> tuple[Spans, ...]:
    return next(parts for last, parts in texts if step <= last)


def _joined(texts: Sequence[tuple[Spans, ...]]) -> tuple[Spans, ...]:
    parts: list[Spans] = [()]
    for text in texts:
        if not any(text):
            continue
        comma: Spans = ((", ", 1.0),) if parts[-1] else ()
        parts = [*parts[:-1], _merged(parts[-1] + comma + text[0]), *text[1:]]
    return tuple(parts)


def _merged(spans: Spans) -> Spans:
    """Neighbours of one weight as one piece: they were one if they had been written together."""
    found: list[tuple[str, float]] = []
    for text, weight in spans:
        if found and found[-1][1] == weight:
            text = found.pop()[0] + text
        found.append((text, weight))
    return tuple(found)


def _spelt(root: tree.Root) -> str:
    """A prompt as it is written, without its parameters and comments."""
    told = rewrite(root, lambda node: None if isinstance(node, tree.Parameter | tree.Comment) else node)
    try:
        return emit(told).strip()
    except Unspeakable:  # the record has the values by name as well
        return print_tree(told).strip()


def _title(positive: list[tuple[float, Texts]]) -> str:
    """What a file is named after: what is told at the first step, without marks and weights."""
    return " ".join(text for _, texts in positive for part in texts[0][1] for text, _ in part)


def _plain(value: object) -> str | int | float | bool:
    return value if isinstance(value, str | int | float | bool) else show(value)


# The picture


def _denoise(request: Request, ops: list[Op], positive: list[tuple[float, Texts]], negative: Texts, seed: int) -> Ref:
    inputs: list[Ref] = []

    def guide(weight: float, texts: Texts) -> Guide:
        # A text that comes back in a branch is one input: where texts change, batches then have one shape.
        place: dict[Ref, int] = {}
        until: list[Until] = []
        for last, parts in texts:
            op = EncodeText(
                model=request.model,
                parts=parts,
                clip_skip=request.clip_skip,
                weighting=request.weighting,  # type: ignore[arg-type]
            )
            ref = _add(ops, op)
            if ref not in place:
                place[ref] = len(inputs)
                inputs.append(ref)
            until.append(Until(last=last, text=place[ref]))
        return Guide(weight=weight, schedule=tuple(until))

    guides = tuple(guide(weight, texts) for weight, texts in positive)
    avoided = guide(1.0, negative)
    if request.init is not None:
        inputs.append(_start(request, ops, request.init))
    op = Denoise(
        inputs=tuple(inputs),
        model=request.model,
        positive=guides,
        negative=avoided,
        width=request.width,
        height=request.height,
        steps=request.steps,
        seed=seed,
        sampler=request.sampler,  # type: ignore[arg-type]
        guidance=request.guidance,
        guidance_rescale=request.rescale,
        strength=request.strength,
        tile=request.tile,
    )
    return _add(ops, op)


def _start(request: Request, ops: list[Op], image: str) -> Ref:
    """The latents of the picture that `--init` names."""
    prompt, span = request.prompt, span_of(request.prompt, "init")
    if "://" in image:
        message = f"{image} is on the web, and a plan holds pictures by their content"
        refuse_at(prompt, "E1601", "reference", span, message, help="download it, and give its path")
    place = Path(image).expanduser()
    path = request.folder / place
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        refuse_at(prompt, "E1601", "reference", span, f"{image} cannot be read: {reason}")
    digest = hashlib.sha256(content).hexdigest()
    loaded = _add(ops, LoadImage(path=place.as_posix(), sha256=digest, width=request.width, height=request.height))
    return _add(ops, EncodeImage(inputs=(loaded,), model=request.model))


def _outputs(request: Request, ops: list[Op], latents: Ref, about: Described, title: str) -> Iterator[Ref]:
    """Decode, print, scale, describe, encode and store one picture."""
    image = _add(ops, Decode(inputs=(latents,), model=request.model, tile=request.tile))
    if request.print is not None:
        image = _add(ops, _print(request, image))
    for width in request.widths or (request.width,):
        sized, height = image, request.height
        if width != request.width:
            height = max(1, round(width * request.height / request.width))
            sized = _add(ops, Resize(inputs=(image,), width=width, height=height))
        mine = about.model_copy(update={"width": width, "height": height})
        record = _add(ops, Describe(inputs=(sized,), about=mine))
        for kind in request.formats:
            yield _file(request, ops, sized, record, kind, max(width, height), title)


def _print(request: Request, image: Ref) -> Op:
    """`--print name(…)`: any op that makes an image of an image."""
    assert request.print is not None
    name = request.print.name
    spec = specs()[name]
    size = Type(kind="image", width=request.width, height=request.height)
    try:
        op = spec.model.model_validate({"inputs": (image,), **request.print.arguments})
        if spec.infer(op, [size]) != size:
            raise InvalidOp(f"{name} makes something else than an image of the same size")
    except ValidationError as error:
        faults = (f"{'.'.join(map(str, one['loc'])) or name}: {one['msg']}" for one in error.errors())
        refuse_at(request.prompt, "E1302", "parameter-value", span_of(request.prompt, "print"), "; ".join(faults))
    except InvalidOp as error:
        refuse_at(request.prompt, "E1302", "parameter-value", span_of(request.prompt, "print"), str(error))
    return op


def _file(request: Request, ops: list[Op], image: Ref, record: Ref, kind: str, side: int, text: str) -> Ref:
    limits = formats()[kind]
    if side > limits.max_side:
        named = "out" if request.widths else "size"
        message = f"{kind} holds at most {limits.max_side} pixels a side, and the picture has {side}"
        span = span_of(request.prompt, named)
        refuse_at(request.prompt, "E1302", "parameter-value", span, message, help="use png or tiff, or a smaller size")
    fields: dict[str, Any] = {"inputs": (image, record), "format": kind}
    if limits.quality is not None:
        fields["quality"] = limits.quality if request.quality is None else request.quality
    if limits.effort is not None:
        fields["effort"] = limits.effort
    encoded = _add(ops, Encode(**fields))
    return _add(ops, Store(inputs=(encoded,), name=file_name(text, encoded, limits.suffix)))
