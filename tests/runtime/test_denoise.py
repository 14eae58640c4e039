"""Denoising: equal to the bare pipeline, the same alone and in a batch, and what guidance, schedules and tiles do."""

from pathlib import Path
from typing import Any

import pytest
import torch

from promptc.plan.ops.decode import Decode
from promptc.plan.ops.denoise import Denoise, Guide, Until
from promptc.plan.ops.encode_image import EncodeImage
from promptc.plan.ops.encode_text import EncodeText
from promptc.plan.plan import Plan
from promptc_runtime.context import RunError
from promptc_runtime.engine import Runtime
from promptc_runtime.models.folder import locate
from promptc_runtime.ops import denoise as kernel
from promptc_runtime.sampling.samplers import SAMPLERS, Stepper, build, steps_left
from tests.runtime.plans import always, denoise, pictures, plan_of, text


def latents(runtime: Runtime, *ops: Any) -> torch.Tensor:
    """The result of the last op."""
    value = runtime.run(plan_of(*ops)).values[ops[-1].id]
    assert isinstance(value, torch.Tensor)
    return value


@pytest.fixture(scope="module")
def pipeline() -> Any:
    """The bare pipeline of diffusers on the same model."""
    from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import StableDiffusionPipeline

    made = StableDiffusionPipeline.from_pretrained(
        locate("landscape"), local_files_only=True, torch_dtype=torch.float32
    )
    made.set_progress_bar_config(disable=True)
    return made


CASES = [*((sampler, 0.0) for sampler in SAMPLERS), ("ddim", 0.7)]


@pytest.mark.parametrize(("sampler", "rescale"), CASES)
def test_the_picture_is_the_one_of_the_bare_pipeline(
    runtime: Runtime, pipeline: Any, sampler: Any, rescale: float
) -> None:
    plan = pictures(["a red sky"], negative="fog", steps=4, sampler=sampler, guidance_rescale=rescale)
    pipeline.scheduler = build(sampler, runtime.models.load("landscape").scheduler_config)
    theirs = pipeline(
        "a red sky",
        negative_prompt="fog",
        num_inference_steps=4,
        guidance_scale=4.0,
        guidance_rescale=rescale,
        width=64,
        height=64,
        generator=torch.Generator().manual_seed(7),
        output_type="pt",
    ).images[0]
    assert torch.allclose(runtime.run(plan).images[0], theirs, atol=2e-4)


@pytest.mark.parametrize("sampler", ["ddim", "euler_a"])
def test_a_picture_is_the_same_alone_and_in_a_batch(runtime: Runtime, sampler: Any) -> None:
    both = pictures(["a red sky", "night, stars"], [3, 4], "fog", steps=3, sampler=sampler)
    assert both.batches, "the plan groups them"
    together = runtime.run(both).images
    for place, (prompt, seed) in enumerate(
        [("a red sky", 3), ("a red sky", 4), ("night, stars", 3), ("night, stars", 4)]
    ):
        alone = runtime.run(pictures([prompt], [seed], "fog", steps=3, sampler=sampler)).images[0]
        assert torch.equal(alone, together[place])


def test_a_batch_that_would_change_a_bit_is_taken_apart(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = pictures(["a red sky", "night"], negative="fog")
    alone = [runtime.run(pictures([prompt], negative="fog")).images[0] for prompt in ("a red sky", "night")]
    calls: list[int] = []
    real = kernel._denoise

    def shaken(ops: Any, *rest: Any, trial: bool = False) -> torch.Tensor:
        made = real(ops, *rest, trial=trial)
        calls.append(len(ops))
        return made + 1e-6 if len(ops) > 1 else made  # as if the number of rows had its say

    monkeypatch.setattr(kernel, "_equal", {})
    monkeypatch.setattr(kernel, "_denoise", shaken)
    assert all(torch.equal(one, other) for one, other in zip(alone, runtime.run(plan).images, strict=True))
    assert calls == [2, 1, 1, 1], "a trial together, a trial alone, then each by itself"


def test_every_run_gives_the_same_bits(runtime: Runtime) -> None:
    plan = pictures(["a red sky"], sampler="euler_a")
    first, second = runtime.run(plan), runtime.run(plan)
    assert torch.equal(first.images[0], second.images[0])
    assert first.seeds == second.seeds == (7,)


def test_noise_comes_from_the_seed_of_each_picture(runtime: Runtime) -> None:
    one, two = runtime.run(pictures(["a red sky"], [3, 4])).images
    assert not torch.equal(one, two)
    shape = (1, 8, 8, 8)
    noise = torch.randn(shape, generator=torch.Generator().manual_seed(3))
    op = denoise([text("a red sky"), text("")], seed=3, steps=1, guidance=0.0)
    # With pure noise as its start and no step that moves it, DDIM begins with exactly this.
    stepper = Stepper(op.sampler, runtime.models.load("landscape").scheduler_config, 1)
    assert torch.equal(stepper.begin(noise, None), noise)


def test_guidance_of_1_is_the_text_alone_and_of_0_the_negative_alone(runtime: Runtime) -> None:
    wanted, other = text("a red sky"), text("night, stars")
    free = latents(runtime, wanted, other, denoise([wanted, other], guidance=1.0))
    assert torch.equal(free, latents(runtime, wanted, denoise([wanted], guidance=1.0, negative=always(0, 2))))
    none = latents(runtime, wanted, other, denoise([wanted, other], guidance=0.0))
    assert torch.equal(none, latents(runtime, other, denoise([other], guidance=1.0, negative=always(0, 2))))


def test_branches_add_up(runtime: Runtime) -> None:
    """Two halves of one text are the whole; a branch of weight 0 has no say."""
    red, night, empty = text("a red sky"), text("night, stars"), text("")
    whole = latents(runtime, red, empty, denoise([red, empty]))
    halves = denoise([red, empty], positive=(always(0, 2, 0.5), always(0, 2, 0.5)))
    assert torch.allclose(latents(runtime, red, empty, halves), whole, atol=1e-4)
    silent = denoise([red, night, empty], positive=(always(0, 2), always(1, 2, 0.0)))
    assert torch.allclose(latents(runtime, red, night, empty, silent), whole, atol=1e-4)
    heard = denoise([red, night, empty], positive=(always(0, 2), always(1, 2, 0.7)))
    assert not torch.allclose(latents(runtime, red, night, empty, heard), whole, atol=1e-2)


def test_a_schedule_changes_the_text_at_its_step(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    red, night, empty = text("a red sky"), text("night, stars"), text("")
    guide = Guide(schedule=(Until(last=1, text=0), Until(last=3, text=1)))
    told = _told_to_the_unet(runtime, monkeypatch)
    latents(runtime, red, night, empty, denoise([red, night, empty], steps=3, positive=(guide,), negative=always(2, 3)))
    values = [latents(runtime, op)[None] for op in (red, night)]
    assert [torch.equal(rows[1:], values[0]) for rows in told] == [True, False, False]
    assert [torch.equal(rows[1:], values[1]) for rows in told] == [False, True, True]


def _told_to_the_unet(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    unet = runtime.models.load("landscape").unet
    told: list[torch.Tensor] = []
    real = unet.forward

    def listen(*args: Any, encoder_hidden_states: torch.Tensor, **rest: Any) -> Any:
        told.append(encoder_hidden_states)
        return real(*args, encoder_hidden_states=encoder_hidden_states, **rest)

    monkeypatch.setattr(unet, "forward", listen)
    return told


def test_texts_of_different_length_are_filled_up(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    long = EncodeText(model="landscape", parts=((("a red sky", 1.0),), (("hills", 1.0),)))
    short = text("blur")
    told = _told_to_the_unet(runtime, monkeypatch)
    latents(runtime, long, short, denoise([long, short]))
    assert {tuple(rows.shape) for rows in told} == {(2, 154, 128)}
    negative = told[0][0]
    assert torch.equal(negative[77:], negative[76:77].expand(77, -1))


def test_equal_shapes_with_texts_of_different_length_keep_their_bits_in_a_batch(runtime: Runtime) -> None:
    empty = text("")
    texts = [EncodeText(model="landscape", parts=((("a red sky", 1.0),),) * count) for count in (1, 2)]
    ops = [denoise([each, empty]) for each in texts]
    plan = Plan(ops=(empty, *texts, *ops), outputs=tuple(op.id for op in ops), batches=(tuple(op.id for op in ops),))
    together = runtime.run(plan).values
    for each, op in zip(texts, ops, strict=True):
        value = together[op.id]
        assert isinstance(value, torch.Tensor)
        assert torch.equal(value, latents(runtime, each, empty, op))


@pytest.mark.parametrize(("steps", "strength", "left"), [(20, 0.5, 10), (100, 0.29, 29), (20, 0.01, 1), (20, 1.0, 20)])
def test_strength_leaves_a_part_of_the_steps(steps: int, strength: float, left: int) -> None:
    op = denoise([text("a"), text("")], steps=steps, strength=strength)
    assert steps_left(op) == left


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_weak_start_stays_near_its_picture(runtime: Runtime, sampler: Any) -> None:
    red, empty = text("a red sky"), text("")
    first = denoise([red, empty], steps=4)
    image = Decode(inputs=(first.id,), model="landscape")
    start = EncodeImage(inputs=(image.id,), model="landscape")
    again = denoise([red, empty], steps=10, strength=0.1, sampler=sampler).model_copy()
    again = Denoise.model_validate({**again.model_dump(), "inputs": (red.id, empty.id, start.id)})
    before = latents(runtime, red, empty, first, image, start)
    after = latents(runtime, red, empty, first, image, start, again)
    assert 0 < float((after - before).abs().mean()) < 0.3 * float(before.std())


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_every_step_has_its_number(runtime: Runtime, sampler: Any, steps: int) -> None:
    stepper = Stepper(sampler, runtime.models.load("landscape").scheduler_config, steps)
    assert stepper.numbers[0] == 1
    assert stepper.numbers[-1] == steps
    assert set(stepper.numbers) == set(range(1, steps + 1))
    assert len(stepper.numbers) == len(stepper.timesteps)


def test_a_tile_has_no_edges(runtime: Runtime) -> None:
    """A torus has no place: shifted latents decode to the shifted picture, and to another one without `tile`."""
    unet = runtime.models.load("landscape").unet
    noise = torch.randn(1, 8, 8, 8, generator=torch.Generator().manual_seed(1))
    told = torch.zeros(1, 77, 128)

    def shifted(tile: bool) -> float:
        with torch.inference_mode(), kernel.circular(unet, tile):
            plain, moved = (unet(rows, 500, told).sample for rows in (noise, noise.roll((2, 4), (2, 3))))
        return float((plain.roll((2, 4), (2, 3)) - moved).abs().max())

    assert shifted(tile=True) < 1e-4 < 1e-2 < shifted(tile=False)
    assert not any(getattr(part, "padding_mode", "") == "circular" for part in unet.modules())


def test_values_that_are_no_numbers_are_an_error(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    unet = runtime.models.load("landscape").unet
    real = unet.forward
    monkeypatch.setattr(unet, "forward", lambda *a, **k: (real(*a, **k)[0] * float("nan"),))
    with pytest.raises(RunError, match="no numbers"):
        runtime.run(pictures(["a red sky"]))


def test_half_precision_that_overflows_is_run_again_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    with Runtime("cpu", None, "bfloat16", notes.append) as half:
        model = half.models.load("landscape")
        bias = model.unet.conv_out.bias
        assert bias is not None
        bias.data.fill_(float("inf"))
        made = half.run(pictures(["a red sky"])).images[0]
    assert "once more in float32" in notes[0]
    assert bool(torch.isfinite(made).all())


def test_a_side_that_the_model_cannot_make(runtime: Runtime, tiny_sd: Path) -> None:
    unusual = runtime.models.load(str(tiny_sd))
    monkey = dict(vars(unusual))
    unusual.__dict__["scale"] = 16
    try:
        with pytest.raises(RunError, match="multiples of 16"):
            runtime.run(pictures(["a"], model=str(tiny_sd), side=72))
    finally:
        unusual.__dict__.clear()
        unusual.__dict__.update(monkey)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
def test_cuda_begins_with_the_same_noise_and_stays_close() -> None:
    plan = pictures(["a red sky", "night"], negative="fog")
    with Runtime("cpu", None) as cpu, Runtime("cuda", None, "float32") as cuda:
        for one, other in zip(cpu.run(plan).images, cuda.run(plan).images, strict=True):
            assert torch.allclose(one, other, atol=5e-3)
