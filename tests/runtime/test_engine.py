"""The engine: what is computed, read and left out; files; interruption; values that go at their last use."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from promptc.plan.op import Op
from promptc.plan.ops.decode import Decode
from promptc.plan.ops.describe import Describe, Described
from promptc.plan.ops.encode import Encode
from promptc.plan.ops.resize import Resize
from promptc.plan.ops.store import Store
from promptc.plan.plan import Plan
from promptc.plan.verify import PlanError
from promptc_runtime import Interrupted, RunError
from promptc_runtime.engine import Runtime, kernel
from promptc_runtime.progress import Bar, Lines
from tests.runtime.plans import denoise, pictures, plan_of, text


def stored(seeds: Sequence[int] = (7,), steps: int = 2, resize: int = 0) -> Plan:
    """A file of each seed."""
    wanted, empty = text("a red sky"), text("")
    ops: list[Op] = [wanted, empty]
    outputs = []
    for seed in seeds:
        latents = denoise([wanted, empty], seed, steps)
        image: Op = Decode(inputs=(latents.id,), model="landscape")
        ops += [latents, image]
        if resize:
            image = Resize(inputs=(image.id,), width=resize, height=resize)
            ops.append(image)
        about = Described(
            prompt="a red sky",
            seed=seed,
            width=64,
            height=64,
            steps=steps,
            sampler="ddim",
            guidance=4.0,
            model="landscape",
        )
        record = Describe(inputs=(image.id,), about=about)
        data = Encode(inputs=(image.id, record.id), format="png")
        file = Store(inputs=(data.id,), name=f"{seed}.png")
        ops += [record, data, file]
        outputs.append(file.id)
    return Plan(ops=tuple(ops), outputs=tuple(outputs))


def ran(result: Any) -> list[str]:
    return [timing.op for timing in result.timings.values() if not timing.cached]


def test_a_plan_becomes_files_with_their_seeds(runtime: Runtime, tmp_path: Path) -> None:
    result = runtime.run(stored([3, 4]), tmp_path)
    assert [path.name for path in result.files] == ["3.png", "4.png"]
    assert result.seeds == (3, 4)
    assert list(result.seed_of.values()) == [3, 4]
    assert [tuple(image.shape) for image in result.images] == [(3, 64, 64)] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3.png", "4.png"]


def test_without_a_folder_no_file_is_written(runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = runtime.run(stored())
    assert result.files == ()
    assert len(result.images) == 1
    assert "store" not in ran(result)
    assert "encode" not in ran(result)
    assert not list(tmp_path.iterdir())


def test_images_can_be_changed_and_take_gradients(runtime: Runtime) -> None:
    image = runtime.run(pictures(["a red sky"])).images[0]
    assert not image.requires_grad
    image.requires_grad_().mean().backward()
    assert image.grad is not None


def test_a_second_run_reads_and_loads_nothing(tmp_path: Path) -> None:
    with Runtime("cpu", tmp_path / "cache") as first:
        before = first.run(stored(), tmp_path / "one")
    with Runtime("cpu", tmp_path / "cache") as second:
        after = second.run(stored(), tmp_path / "two")
        model = second.models.load("landscape")
        assert not {"unet", "vae", "text_encoder", "tokenizer"} & vars(model).keys()
    assert ran(after) == ["describe", "encode", "store"]
    assert torch.equal(before.images[0], after.images[0])
    assert before.files[0].read_bytes() == after.files[0].read_bytes()


def test_a_change_at_the_end_runs_the_end_only(tmp_path: Path) -> None:
    with Runtime("cpu", tmp_path / "cache") as runtime:
        runtime.run(stored(), tmp_path / "one")
        again = runtime.run(stored(resize=32), tmp_path / "two")
    assert ran(again) == ["resize", "describe", "encode", "store"]


def test_a_damaged_result_is_made_again(tmp_path: Path) -> None:
    with Runtime("cpu", tmp_path) as runtime:
        before = runtime.run(pictures(["a red sky"]))
    for path in tmp_path.rglob("*.safetensors"):
        path.write_bytes(b"\0" * 100)
    with Runtime("cpu", tmp_path) as runtime:
        after = runtime.run(pictures(["a red sky"]))
    assert len(ran(after)) == 4
    assert torch.equal(before.images[0], after.images[0])


def test_what_the_cache_gives_is_never_changed_by_a_caller(tmp_path: Path) -> None:
    with Runtime("cpu", tmp_path) as runtime:
        first = runtime.run(pictures(["a red sky"])).images[0]
        kept = first.clone()
        first.zero_()
        assert torch.equal(runtime.run(pictures(["a red sky"])).images[0], kept)


def test_nothing_is_kept_of_values_that_are_no_numbers(tmp_path: Path) -> None:
    with Runtime("cpu", tmp_path) as runtime:
        vae: Any = runtime.models.load("landscape").vae
        real = vae.decode
        vae.decode = lambda *a, **k: (real(*a, **k)[0] * float("nan"),)
        with pytest.raises(RunError, match="no numbers") as caught:
            runtime.run(stored(), tmp_path / "out")
        assert caught.value.name == "non-finite-image"
        assert not (tmp_path / "out").exists()
        vae.decode = real
        after = runtime.run(stored(), tmp_path / "out")
    assert "decode" in ran(after)
    assert "denoise" not in ran(after)


def test_values_go_at_their_last_use(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    import weakref

    module = kernel("decode")
    real = module.run
    seen: list[weakref.ref[Any]] = []
    alive: list[int] = []

    def watch(op: Any, inputs: Any, context: Any) -> Any:
        alive.append(sum(ref() is not None for ref in seen))
        made = real(op, inputs, context)
        seen.append(weakref.ref(inputs[0]))
        return made

    monkeypatch.setattr(module, "run", watch)
    runtime.run(pictures([f"hills {number}" for number in range(3)], steps=1, side=128))
    assert alive[-1] <= 2


def test_a_batch_is_one_call_and_only_of_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    module = kernel("denoise")
    real = module.run_batch

    def counted(ops: Sequence[Op], *rest: object) -> object:
        calls.append(len(ops))
        return real(ops, *rest)

    monkeypatch.setattr(module, "run_batch", counted)
    with Runtime("cpu", tmp_path) as runtime:
        runtime.run(pictures(["hills"], [2]))
        calls.clear()
        runtime.run(pictures(["hills"], [1, 2, 3]))
    assert calls == [2]


def test_a_deep_plan_needs_no_recursion(runtime: Runtime) -> None:
    ops: list[Op] = list(pictures(["hills"], steps=1).ops)
    for number in range(1500):
        ops.append(Resize(inputs=(ops[-1].id,), width=8 + number % 2, height=8))
    assert runtime.run(plan_of(*ops)).images[0].shape == (3, 8, 9)


def test_too_little_memory_is_said_with_the_size(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        torch.empty(2**55)

    monkeypatch.setattr(kernel("decode"), "run", fail)
    with pytest.raises(RunError, match=r"image\[64x64\]; use a smaller size") as caught:
        runtime.run(pictures(["hills"]))
    assert caught.value.name == "out-of-memory"


def test_a_plan_that_cannot_run_is_refused_before_anything_is_loaded() -> None:
    plan = pictures(["hills"])
    broken = plan.model_copy(update={"ops": plan.ops[1:]})
    with Runtime("cpu", None) as runtime, pytest.raises(PlanError):
        runtime.run(broken)


class _Stop:
    """Presses Ctrl-C after so many steps."""

    def __init__(self, after: int) -> None:
        self.left = after

    def start(self, pictures: int, steps: int) -> None: ...
    def say(self, text: str) -> None: ...
    def skip(self, count: int) -> None: ...
    def picture(self, count: int = 1) -> None: ...
    def stop(self) -> None: ...

    def step(self, count: int = 1) -> None:
        self.left -= count
        if self.left < 0:
            raise KeyboardInterrupt


def test_an_interrupted_run_leaves_whole_files_and_goes_on_from_the_cache(tmp_path: Path) -> None:
    plan = stored([1, 2, 3])
    with Runtime("cpu", tmp_path / "cache") as runtime:
        with pytest.raises(Interrupted) as caught:
            runtime.run(plan, tmp_path / "out", progress=_Stop(5))
        assert [path.name for path in caught.value.files] == ["1.png", "2.png"]
        assert (caught.value.pictures, caught.value.wanted) == (2, 3)
        assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["1.png", "2.png"]
        after = runtime.run(plan, tmp_path / "out")
    assert ran(after).count("denoise") == 1
    assert [path.name for path in after.files] == ["1.png", "2.png", "3.png"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device here")
def test_a_device_that_is_not_there_is_said() -> None:
    with pytest.raises(RunError, match="use the device cpu") as caught:
        Runtime("cuda", None)
    assert caught.value.name == "no-device"


def test_a_text_of_both_sides_is_one_input_twice(runtime: Runtime) -> None:
    """The positive and the negative prompt may be equal."""
    one = text("hills")
    same = runtime.run(plan_of(one, denoise([one, one]))).values
    plain = runtime.run(plan_of(one, denoise([one], guidance=1.0))).values
    (first,), (second,) = same.values(), plain.values()
    assert isinstance(first, torch.Tensor)
    assert isinstance(second, torch.Tensor)
    assert torch.allclose(first, second, atol=1e-4)


def test_the_trace_has_every_op_in_order(runtime: Runtime) -> None:
    result = runtime.run(pictures(["hills"]))
    assert [event.name for event in result.trace] == ["encode_text", "encode_text", "denoise", "decode"]
    assert all(before.end <= after.start for before, after in zip(result.trace, result.trace[1:], strict=False))
    assert result.timings.keys() == {ref for event in result.trace for ref in event.ops}


def test_progress_counts_steps_and_pictures(runtime: Runtime) -> None:
    stream = io.StringIO()
    lines = Lines(stream, every=0)
    runtime.run(pictures(["hills"], [1, 2], steps=3), progress=lines)
    assert (lines.steps, lines.steps_wanted) == (6, 6)
    assert (lines.pictures, lines.pictures_wanted) == (2, 2)
    assert "2/2 pictures, 6/6 steps" in stream.getvalue()
    assert "steps/s" in stream.getvalue()


def test_the_bar_goes_away(runtime: Runtime) -> None:
    stream = io.StringIO()
    bar = Bar(stream)
    runtime.run(pictures(["hills"]), progress=bar)
    assert bar.bar is None


def test_steps_that_the_cache_saves_are_counted(tmp_path: Path) -> None:
    with Runtime("cpu", tmp_path) as runtime:
        runtime.run(pictures(["hills"], [1], steps=3))
        lines = Lines(io.StringIO(), every=0)
        runtime.run(pictures(["hills"], [1, 2], steps=3), progress=lines)
    assert (lines.steps, lines.skipped, lines.steps_wanted) == (3, 3, 6)
