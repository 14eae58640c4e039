"""Noise -> latents: classifier-free guidance over one or more texts, with their schedules.

All arithmetic but the UNet's own is float32.

A picture must be the same alone and in a batch, and the number of rows in a call of the UNet can change the last bits of
a result. So on the CPU the first step of a batch is compared with that of its pictures alone, for each shape once, and
where a bit differs the pictures are denoised one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from promptc.plan.ops.denoise import Denoise, Guide
from promptc_runtime.context import RunError
from promptc_runtime.sampling.samplers import Stepper

if TYPE_CHECKING:
    from torch import Tensor, nn

    from promptc_runtime.context import Context
    from promptc_runtime.models import Model

AT_ONCE = 8 * 768 * 768
"""Pixels of a batch on an accelerator: what fits into 8 GB in half precision."""
AT_ONCE_CPU = 8 * 128 * 128
"""Pixels of a batch on the CPU, where only small pictures gain anything by it."""

_equal: dict[tuple[object, ...], bool] = {}
"""Whether a batch gives the bits of its pictures alone, by model, shape and threads."""


def batch_size(op: Denoise, context: Context) -> int:
    """How many pictures of this shape are denoised at once."""
    pixels = AT_ONCE_CPU if context.device.type == "cpu" else AT_ONCE
    return max(1, pixels // (op.width * op.height))


def run(op: Denoise, inputs: Sequence[object], context: Context) -> Tensor:
    """[channels, height / 8, width / 8], float32."""
    return run_batch([op], [inputs], context)[0]


def run_batch(ops: Sequence[Denoise], inputs: Sequence[Sequence[object]], context: Context) -> list[Tensor]:
    """The latents of pictures that differ in seeds and texts only. Raises RunError."""
    import torch

    model = context.model(ops[0].model)
    found: dict[int, Tensor] = {}
    # Texts are filled up to the length of the picture's own longest, so that it does not depend on the batch.
    lengths = [max(len(text) for text in _texts(op, values)) for op, values in zip(ops, inputs, strict=True)]
    for length in dict.fromkeys(lengths):
        group = [number for number, other in enumerate(lengths) if other == length]
        some = [ops[number] for number in group], [inputs[number] for number in group]
        latents = _denoise_safely(*some, model, context)
        if not bool(torch.isfinite(latents).all()) and model.dtype != torch.float32:
            context.note(f"{ops[0].model} gave values that are no numbers in {model.dtype}; once more in float32")
            latents = _denoise_safely(*some, model.full, context)
        if not bool(torch.isfinite(latents).all()):
            raise RunError(
                "non-finite", f"{ops[0].model} gave values that are no numbers; try a lower guidance or weight"
            )
        found.update(zip(group, latents, strict=True))
    return [found[number] for number in range(len(ops))]


def _denoise_safely(
    ops: Sequence[Denoise], inputs: Sequence[Sequence[object]], model: Model, context: Context
) -> Tensor:
    """As a batch where that changes no bit, else one by one."""
    import torch

    if len(ops) == 1 or _batches(ops, inputs, model, context):
        return _denoise(ops, inputs, model, context)
    return torch.cat([_denoise([op], [values], model, context) for op, values in zip(ops, inputs, strict=True)])


def _batches(ops: Sequence[Denoise], inputs: Sequence[Sequence[object]], model: Model, context: Context) -> bool:
    """Whether the first step of a batch has the bits of its pictures alone. On an accelerator batches are taken as they
    are, and differ within the precision of its arithmetic."""
    import torch

    if context.device.type != "cpu":
        return True
    length = max(len(text) for text in _texts(ops[0], inputs[0]))
    shape = (ops[0].width, ops[0].height, ops[0].tile, len(wanted(ops[0])), len(ops), length)
    key = (model.digest, model.dtype, *shape, torch.get_num_threads())
    if key not in _equal:
        together = _denoise(ops, inputs, model, context, trial=True)
        _equal[key] = all(
            torch.equal(
                together[place : place + 1], _denoise([ops[place]], [inputs[place]], model, context, trial=True)
            )
            for place in (0, len(ops) - 1)
        )
    return _equal[key]


def _denoise(
    ops: Sequence[Denoise],
    inputs: Sequence[Sequence[object]],
    model: Model,
    context: Context,
    *,
    trial: bool = False,
) -> Tensor:
    """[pictures, channels, height / scale, width / scale]; a trial ends with the first prediction of the UNet."""
    import torch

    op, count, unet = ops[0], len(ops), model.unet
    stepper = Stepper(op.sampler, model.scheduler_config, op.steps, op.strength)
    generators = [torch.Generator().manual_seed(each.seed) for each in ops]
    shape = (1, _channels(model), _side(op.height, model), _side(op.width, model))
    noise = torch.cat([torch.randn(shape, generator=generator) for generator in generators]).to(context.device)
    start = None
    if op.strength is not None:
        start = torch.stack([_tensor(values[-1]) for values in inputs]).to(context.device)
    latents = stepper.begin(noise, start)
    told_at = _told(ops, inputs, context.device, model.dtype)
    times = stepper.timesteps.to(context.device)
    before = 0
    with circular(unet, op.tile):
        for number, (time, place) in enumerate(zip(stepper.timesteps, stepper.numbers, strict=True)):
            told, parts = told_at(place)
            rows = stepper.scale(latents, time).to(model.dtype)
            if parts > 1:
                rows = torch.cat([rows] * parts)
            rows = rows.contiguous(memory_format=torch.channels_last)
            predicted = unet(rows, times[number], encoder_hidden_states=told, return_dict=False)[0].float()
            if trial:
                return torch.stack(predicted.chunk(parts), 1)
            guided = _guide(predicted.chunk(parts), op)
            latents = stepper.step(guided, time, latents, generators)
            if place > before:
                context.progress.step(count)
                before = place
    return latents.contiguous()


def _told(ops: Sequence[Denoise], inputs: Sequence[Sequence[object]], device: Any, dtype: Any) -> Any:
    """A function from a step (from 1) to what the UNet is told, [rows * pictures, tokens, width], and the row count.

    Rows are the branches that count: the negative, then the positives. Texts of fewer chunks are filled up by
    repeating their last vector, as the web UI does.
    """
    import torch

    guides = wanted(ops[0])
    texts = [_texts(op, values) for op, values in zip(ops, inputs, strict=True)]
    length = max(len(text) for text in texts[0])
    filled = [[_fill(text, length).to(device, dtype) for text in row] for row in texts]
    made: dict[tuple[int, ...], Tensor] = {}

    def at(step: int) -> tuple[Tensor, int]:
        chosen = tuple(_in_force(guide, step) for guide in guides)
        if chosen not in made:
            made[chosen] = torch.stack([row[text] for text in chosen for row in filled])
        return made[chosen], len(chosen)

    return at


def wanted(op: Denoise) -> list[Guide]:
    """The branches that have a say: without guidance the negative has none, and with a guidance of 0 only it has."""
    if op.guidance == 0:
        return [op.negative]
    if _unguided(op):
        return [op.positive[0]]
    return [op.negative, *op.positive]


def _unguided(op: Denoise) -> bool:
    return op.guidance == 1 and len(op.positive) == 1 and op.positive[0].weight == 1


def _in_force(guide: Guide, step: int) -> int:
    return next(until.text for until in guide.schedule if step <= until.last)


def _fill(text: Tensor, length: int) -> Tensor:
    import torch

    missing = length - len(text)
    return torch.cat([text, text[-1:].expand(missing, -1)]) if missing else text


def _guide(parts: Sequence[Tensor], op: Denoise) -> Tensor:
    """n + guidance * sum(weight * (p - n)), with its spread brought back towards the unguided one's."""
    if len(parts) == 1:
        return parts[0]
    negative, *positive = parts
    if len(positive) == 1 and op.positive[0].weight == 1:
        whole = positive[0]
        guided = negative + op.guidance * (whole - negative)
    else:
        away = sum(guide.weight * (part - negative) for guide, part in zip(op.positive, positive, strict=True))
        whole = negative + away
        guided = negative + op.guidance * away
    if op.guidance_rescale:
        sides = tuple(range(1, guided.ndim))
        level = guided * (whole.std(sides, keepdim=True) / guided.std(sides, keepdim=True))
        guided = op.guidance_rescale * level + (1 - op.guidance_rescale) * guided
    return guided


@contextmanager
def circular(network: nn.Module, on: bool) -> Iterator[None]:
    """With `on`, the convolutions of a network see the picture as a torus: its edges meet."""
    from torch import nn

    changed = [
        part for part in network.modules() if on and isinstance(part, nn.Conv2d) and part.padding_mode == "zeros"
    ]
    for part in changed:
        part.padding_mode = "circular"
    try:
        yield
    finally:
        for part in changed:
            part.padding_mode = "zeros"


def _texts(op: Denoise, values: Sequence[object]) -> list[Tensor]:
    """The conditionings among the inputs: all but the latents to start from."""
    return [_tensor(value) for value in values[: len(values) - (op.strength is not None)]]


def _channels(model: Model) -> int:
    config: Any = model.unet.config
    if config.in_channels != config.out_channels:
        what = f"its UNet takes {config.in_channels} channels and gives {config.out_channels}"
        raise RunError("unsupported-model", f"{model.name} is no text-to-image model: {what}")
    return int(config.in_channels)


def _side(pixels: int, model: Model) -> int:
    if pixels % model.scale:
        raise RunError("size", f"{model.name} makes pictures whose sides are multiples of {model.scale}, not {pixels}")
    return pixels // model.scale


def _tensor(value: object) -> Tensor:
    from torch import Tensor

    if not isinstance(value, Tensor):
        raise TypeError(f"a tensor is needed, not {type(value).__name__}")
    return value
