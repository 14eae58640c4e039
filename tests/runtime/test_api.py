"""From Python: `promptc.compile`, `promptc.run`, `promptc.Runtime`."""

from pathlib import Path

import torch

import promptc


def test_a_prompt_becomes_a_picture(tmp_path: Path) -> None:
    scene = promptc.prompt("{place}, {mood: 'red' | 'blue' = 'red'} sky --steps 2 --size 64x64 --seed 3")
    plan = promptc.compile(scene, place="a forest")
    result = promptc.run(plan, tmp_path, cache=None)
    assert result.seeds == (3,)
    assert [tuple(image.shape) for image in result.images] == [(3, 64, 64)]
    assert result.files[0].is_file()
    assert {timing.op for timing in result.timings.values()} >= {"encode_text", "denoise", "decode", "store"}


def test_a_runtime_keeps_its_models_and_gives_equal_pictures() -> None:
    with promptc.Runtime("cpu", None) as runtime:
        plans = [promptc.compile("hills --steps 2 --size 64x64", seed=seed) for seed in (1, 1, 2)]
        first, again, other = (runtime.run(plan).images[0] for plan in plans)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_a_prompt_is_the_same_alone_and_among_others() -> None:
    prompts = ["hills, red sky", "dunes, noon"]
    scenes = [promptc.prompt(f"{text} --steps 2 --size 64x64 --seed 5 --no fog")() for text in prompts]
    with promptc.Runtime("cpu", None) as runtime:
        together = runtime.run(promptc.compile(scenes)).images
        alone = [runtime.run(promptc.compile(scene)).images[0] for scene in scenes]
    assert all(torch.equal(one, other) for one, other in zip(together, alone, strict=True))
