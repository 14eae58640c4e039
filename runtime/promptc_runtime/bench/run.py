"""Row `run`: a plan's time beside the bare `StableDiffusionPipeline` call of diffusers.

Both have the same model, size, steps, guidance and seeds, in one process, with all models loaded; they take turns, and
each counts with its best time. Nothing is cached. The batch has four prompts that share a negative prompt.
"""

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from promptc.plan.op import Op
from promptc.plan.ops.decode import Decode
from promptc.plan.ops.denoise import Denoise, Guide, Until
from promptc.plan.ops.encode_text import EncodeText
from promptc.plan.passes import optimize
from promptc.plan.plan import Plan
from promptc_runtime.bench import BenchResult
from promptc_runtime.engine import Runtime
from promptc_runtime.models.checkpoint import quiet
from promptc_runtime.models.folder import locate

MODEL = "landscape"
PROMPTS = ("a forest, red sky", "hills, noon, clouds", "a cabin by mountains, night, stars", "dunes, dawn")
NEGATIVE = "fog, rain"
STEPS = 20
SIDE = 128
GUIDANCE = 4.0
RESCALE = 0.7
TURNS = 5


def run() -> BenchResult:
    """The single picture is the row; the batch of four is in the details."""
    theirs = _pipeline()
    with Runtime("auto", None) as runtime:
        one = _alternate(lambda: _ours(runtime, PROMPTS[:1]), lambda: theirs(PROMPTS[:1]))
        four = _alternate(lambda: _ours(runtime, PROMPTS), lambda: theirs(PROMPTS))
    ours, baseline = min(one[0]), min(one[1])
    return BenchResult(
        name="run",
        baseline=baseline,
        ours=ours,
        ratio=baseline / ours,
        details={
            "ours, median": median(one[0]),
            "baseline, median": median(one[1]),
            "batch of 4, ours": min(four[0]),
            "batch of 4, baseline": min(four[1]),
            "batch of 4, ours, median": median(four[0]),
            "batch of 4, baseline, median": median(four[1]),
        },
    )


def _alternate(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Seconds of each turn, after one that warms up."""
    taken: tuple[list[float], list[float]] = ([], [])
    for turn in range(TURNS + 1):
        for work, seconds in zip((ours, theirs), taken, strict=True):
            start = time.perf_counter()
            work()
            if turn:
                seconds.append(time.perf_counter() - start)
    return taken


def plan(prompts: Sequence[str]) -> Plan:
    """A picture of each prompt, as the compiler would have it."""
    ops: list[Op] = []
    negative = EncodeText(model=MODEL, parts=(((NEGATIVE, 1.0),),))
    for seed, prompt in enumerate(prompts):
        text = EncodeText(model=MODEL, parts=(((prompt, 1.0),),))
        latents = Denoise(
            inputs=(text.id, negative.id),
            model=MODEL,
            positive=(Guide(schedule=(Until(last=STEPS, text=0),)),),
            negative=Guide(schedule=(Until(last=STEPS, text=1),)),
            width=SIDE,
            height=SIDE,
            steps=STEPS,
            seed=seed,
            sampler="ddim",
            guidance=GUIDANCE,
            guidance_rescale=RESCALE,
        )
        ops += [text, negative, latents, Decode(inputs=(latents.id,), model=MODEL)]
    return optimize(Plan(ops=tuple(ops), outputs=tuple(op.id for op in ops if isinstance(op, Decode))))


def _ours(runtime: Runtime, prompts: Sequence[str]) -> object:
    return runtime.run(plan(prompts)).images


def _pipeline() -> Callable[[Sequence[str]], Any]:
    """The bare pipeline, on the device and in the precision that `auto` takes."""
    import torch

    cuda = torch.cuda.is_available()
    with quiet():
        from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import StableDiffusionPipeline
        from diffusers.utils import logging
    with quiet():  # once more: the import sets its own levels
        logging.disable_progress_bar()
        made: Any = StableDiffusionPipeline.from_pretrained(
            locate(MODEL), local_files_only=True, torch_dtype=torch.float16 if cuda else torch.float32
        ).to("cuda" if cuda else "cpu")
    made.set_progress_bar_config(disable=True)

    def call(prompts: Sequence[str]) -> Any:
        return made(
            list(prompts),
            negative_prompt=[NEGATIVE] * len(prompts),
            num_inference_steps=STEPS,
            guidance_scale=GUIDANCE,
            guidance_rescale=RESCALE,
            height=SIDE,
            width=SIDE,
            generator=[torch.Generator().manual_seed(seed) for seed in range(len(prompts))],
            output_type="pt",
        ).images

    return call
