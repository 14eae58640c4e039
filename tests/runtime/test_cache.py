"""The cache of results: whole, checked and bounded files, and keys that name all that a value depends on."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from promptc.plan.op import Op
from promptc_runtime.cache import Cache, Disk, Memory
from promptc_runtime.cache.disk import checksum, default_folder
from promptc_runtime.cache.key import keys
from promptc_runtime.engine import Runtime
from tests.runtime.plans import pictures, text

KEY = "ab" * 20


def test_memory_drops_what_was_used_longest_ago() -> None:
    memory = Memory(3 * 400)
    for name in "abc":
        memory.put(name, torch.zeros(100))
    assert memory.get("a") is not None
    memory.put("d", torch.zeros(100))
    assert memory.get("b") is None
    assert [memory.get(name) is not None for name in "acd"] == [True] * 3
    memory.put("large", torch.zeros(1000))
    assert memory.get("large") is None
    memory.put("a", torch.zeros(50))
    assert memory.size == 2 * 400 + 200


@pytest.mark.parametrize(
    "value", [torch.randn(3, 5), torch.tensor(float("nan")), torch.zeros(0), torch.ones(2, 2).half()]
)
def test_a_result_comes_back_to_the_last_bit(tmp_path: Path, value: torch.Tensor) -> None:
    Disk(tmp_path, 10**6).put(KEY, value)
    found = Disk(tmp_path, 10**6).get(KEY)
    assert found is not None
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    assert torch.equal(
        found.view(torch.uint8) if found.ndim else found.isnan(),
        value.view(torch.uint8) if value.ndim else value.isnan(),
    )


def _flip(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize(
    "damage", [_flip, lambda data: data[:40], lambda data: b"", lambda data: b"\xff" * 64, lambda data: data + b"\0"]
)
def test_a_damaged_file_is_a_miss_and_goes(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    disk = Disk(tmp_path, 10**6)
    disk.put(KEY, torch.randn(8))
    path = disk.path(KEY)
    path.write_bytes(damage(path.read_bytes()))
    assert disk.get(KEY) is None
    assert not path.exists()


def test_a_file_under_another_key_is_a_miss(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 10**6)
    disk.put(KEY, torch.ones(3))
    other = "cd" * 20
    disk.path(other).parent.mkdir()
    disk.path(KEY).rename(disk.path(other))
    assert disk.get(other) is None


def test_the_disk_stays_within_its_limit(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 20_000)
    for number in range(20):
        disk.put(f"{number:040x}", torch.randn(500))
        os.utime(disk.path(f"{number:040x}"), (number, number))
    left = list((tmp_path).rglob("*.safetensors"))
    assert sum(path.stat().st_size for path in left) <= 20_000
    assert disk.get(f"{19:040x}") is not None
    assert disk.get(f"{0:040x}") is None


def test_unfinished_files_are_swept_when_they_are_old(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 10**6)
    old, new = (disk.folder / "ab" / name for name in (".old.part", ".new.part"))
    old.parent.mkdir(parents=True)
    for path in (old, new):
        path.touch()
    os.utime(old, (time.time() - 9999,) * 2)
    disk.put(KEY, torch.ones(1))
    assert not old.exists()
    assert new.exists()


def test_a_disk_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said: list[str] = []
    disk = Disk(tmp_path / "file", 10**6, said.append)
    disk.put(KEY, torch.ones(1))
    disk.put(KEY, torch.ones(1))
    assert len(said) == 1
    assert "going on without it" in said[0]


def test_memory_is_asked_before_the_disk(tmp_path: Path) -> None:
    cache = Cache(Memory(10**6), Disk(tmp_path, 10**6))
    cache.put(KEY, torch.ones(2))
    assert cache.disk is not None
    cache.disk.path(KEY).unlink()
    assert cache.get(KEY) is not None
    assert Cache(Memory(10**6), cache.disk).get(KEY) is None


def test_the_checksum_covers_key_shape_and_type() -> None:
    value = torch.arange(6, dtype=torch.float32)
    sums = {
        checksum("a", value),
        checksum("b", value),
        checksum("a", value.view(2, 3)),
        checksum("a", value.view(torch.int32)),
        checksum("a", value + 1),
    }
    assert len(sums) == 5


def test_a_key_names_all_that_a_result_depends_on() -> None:
    here = {"torch": "1", "device": "cpu", "precision": "float32"}

    def key(op: Op | None = None, digest: str = "m", **other: str) -> str:
        op = op or text("a")
        return keys([op], lambda name: digest, {**here, **other})[op.id]

    others = [
        key(),
        key(text("b")),
        key(text("a", clip_skip=2)),
        key(digest="other weights"),
        key(device="cuda"),
        key(precision="float16"),
        key(torch="2"),
    ]
    assert len(set(others)) == len(others)
    assert key() == key()


def test_a_key_covers_the_models_of_everything_before_it() -> None:
    plan = pictures(["a"])
    one = keys(plan.ops, lambda name: "m", {})
    two = keys(plan.ops, lambda name: "n", {})
    assert all(one[op.id] != two[op.id] for op in plan.ops)


def test_a_changed_checkpoint_is_a_miss(tiny_sd: Path, copy_of: Callable[[Path], Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    model = copy_of(tiny_sd)
    plan = pictures(["a b"], model=str(model), sampler="euler")
    with Runtime("cpu", tmp_path / "cache") as runtime:
        before = runtime.run(plan)
        again = runtime.run(plan)
        weights = model / "text_encoder" / "model.safetensors"
        held = load_file(weights)
        save_file({name: value + 0.1 for name, value in held.items()}, weights, {"format": "pt"})
        after = runtime.run(plan)
    assert all(timing.cached for timing in again.timings.values())
    assert not any(timing.cached for timing in after.timings.values())
    assert not torch.equal(before.images[0], after.images[0])


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROMPTC_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("PROMPTC_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if os.name == "posix" and os.uname().sysname != "Darwin":
        assert default_folder() == tmp_path / "promptc"
