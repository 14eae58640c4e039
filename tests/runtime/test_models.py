"""Checkpoints: found by name or path, safetensors by content only, the Stable Diffusion 1.x/2.x family."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from promptc_runtime.context import RunError
from promptc_runtime.engine import Runtime
from promptc_runtime.models import Models, digest, locate
from promptc_runtime.models.folder import built_in, index, part_files
from promptc_runtime.models.weights import check
from tests.runtime.plans import pictures

Copy = Callable[[Path], Path]


def test_the_built_in_model_is_there() -> None:
    assert "landscape" in built_in()
    assert index(locate("landscape"))["vae"] == "AutoencoderTiny"


def test_a_folder_is_found_from_where_the_plan_is(tiny_sd: Path) -> None:
    assert locate(tiny_sd.name, tiny_sd.parent) == tiny_sd.resolve()
    assert locate(str(tiny_sd)) == tiny_sd.resolve()


@pytest.mark.parametrize("name", ["nothing", "../nothing", "owner/nothing", "", ".", "models/landscape"])
def test_an_unknown_model_says_what_there_is(name: str, tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        locate(name, tmp_path)
    assert caught.value.name == "unknown-model"


def test_a_repository_in_the_hub_cache_is_found(tmp_path: Path, tiny_sd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--some--model"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc123\n")
    (folder / "snapshots").mkdir()
    (folder / "snapshots" / "abc123").symlink_to(tiny_sd)
    assert locate("some/model") == folder / "snapshots" / "abc123"


def test_any_folder_of_the_family_runs(runtime: Runtime, tiny_sd: Path) -> None:
    plan = pictures(["a b", "c"], negative="d", model=str(tiny_sd), sampler="pndm", steps=3)
    result = runtime.run(plan)
    assert [tuple(image.shape) for image in result.images] == [(3, 64, 64)] * 2
    assert not torch.equal(*result.images)


def test_a_tiny_model_gives_the_picture_of_the_bare_pipeline(runtime: Runtime, tiny_sd: Path) -> None:
    from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import StableDiffusionPipeline

    pipeline = StableDiffusionPipeline.from_pretrained(
        tiny_sd, local_files_only=True, torch_dtype=torch.float32, safety_checker=None, requires_safety_checker=False
    )
    pipeline.set_progress_bar_config(disable=True)
    theirs = pipeline(
        "a b",
        negative_prompt="c",
        num_inference_steps=3,
        guidance_scale=4.0,
        width=64,
        height=64,
        generator=torch.Generator().manual_seed(7),
        output_type="pt",
    ).images[0]
    plan = pictures(["a b"], negative="c", model=str(tiny_sd), sampler="pndm", steps=3)
    assert torch.allclose(runtime.run(plan).images[0], theirs, atol=1e-4)


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
HEADER = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (POINTER, "bad-weights-file", "Git LFS pointer"),
        (b"<!DOCTYPE html><html><body>404</body></html>", "bad-weights-file", "HTML page"),
        (b"", "bad-weights-file", "0 bytes"),
        (b"\x08\0\0\0\0\0\0\0", "bad-weights-file", "8 bytes"),
        (len(HEADER).to_bytes(8, "little") + HEADER, "bad-weights-file", "no tensors within the file"),
        ((10**6).to_bytes(8, "little") + HEADER, "bad-weights-file", "broke off"),
        (pickle.dumps({"a": 1}), "unsafe-weights", "pickle"),
        (b"PK\x03\x04" + bytes(100), "unsafe-weights", "pickle"),
        (b"\xff" * 200, "bad-weights-file", "damaged"),
    ],
)
def test_only_content_makes_a_safetensors_file(tmp_path: Path, content: bytes, name: str, says: str) -> None:
    path = tmp_path / "style.SafeTensors"
    path.write_bytes(content)
    with pytest.raises(RunError, match=says) as caught:
        check(path)
    assert caught.value.name == name
    assert str(path) in str(caught.value)


def test_a_whole_file_passes(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(len(HEADER).to_bytes(8, "little") + HEADER + bytes(8))
    check(path)


def test_a_bad_file_stops_the_run_with_its_path(runtime: Runtime, tiny_sd: Path, copy_of: Copy) -> None:
    model = copy_of(tiny_sd)
    (model / "unet" / "diffusion_pytorch_model.safetensors").write_bytes(POINTER)
    with pytest.raises(RunError, match=r"unet.*Git LFS"):
        runtime.run(pictures(["a"], model=str(model)))


def test_pickles_are_never_loaded(tiny_sd: Path, copy_of: Copy) -> None:
    model = copy_of(tiny_sd)
    weights = model / "unet" / "diffusion_pytorch_model.safetensors"
    weights.rename(weights.with_suffix(".bin"))
    with pytest.raises(RunError, match="convert it to safetensors") as caught:
        part_files(model, "unet")
    assert caught.value.name == "unsafe-weights"


def test_half_precision_files_are_taken_where_there_are_no_others(tiny_sd: Path, copy_of: Copy) -> None:
    model = copy_of(tiny_sd)
    weights = model / "unet" / "diffusion_pytorch_model.safetensors"
    weights.rename(weights.with_name("diffusion_pytorch_model.fp16.safetensors"))
    _, variant = part_files(model, "unet")
    assert variant == "fp16"
    loaded = Models(torch.device("cpu"), torch.float32).load(str(model)).unet
    assert loaded.dtype == torch.float32


def test_another_family_is_refused(tiny_sd: Path, copy_of: Copy) -> None:
    model = copy_of(tiny_sd)
    path = model / "model_index.json"
    parts = json.loads(path.read_text())
    path.write_text(json.dumps({**parts, "unet": ["diffusers", "FluxTransformer2DModel"]}))
    with pytest.raises(RunError, match="FluxTransformer2DModel") as caught:
        index(model)
    assert caught.value.name == "unsupported-model"


def test_the_digest_is_of_the_content(tiny_sd: Path, copy_of: Copy, tmp_path: Path) -> None:
    model = copy_of(tiny_sd)
    assert digest(model) == digest(tiny_sd)
    config = model / "unet" / "config.json"
    config.write_bytes(config.read_bytes() + b"\n")
    changed = digest(model)
    assert changed != digest(tiny_sd)
    (model / "notes.md").write_text("no part of the model")
    assert digest(model, tmp_path / "hashes") == changed


def test_a_remembered_hash_is_used_while_size_and_time_stay(
    tiny_sd: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from promptc_runtime.models import folder

    wanted = digest(tiny_sd, tmp_path)
    monkeypatch.setattr(folder, "_HASHES", {})
    folder._remember(tmp_path, tiny_sd, [[*key[1:], value] for key, value in _hashes(tiny_sd).items()])
    monkeypatch.setattr(folder, "_hash", lambda file: pytest.fail("it was read again"))
    assert digest(tiny_sd, tmp_path) == wanted


def _hashes(model: Path) -> dict[tuple[Path, str, int, int], str]:
    from promptc_runtime.models import folder

    found = {}
    for file in sorted(model.rglob("*")):
        if file.is_file():
            stat = file.stat()
            found[(model, file.relative_to(model).as_posix(), stat.st_size, stat.st_mtime_ns)] = folder._hash(file)
    return found


def test_loading_is_silent(tiny_sd: Path, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder) -> None:
    model = Models(torch.device("cpu"), torch.float32).load("landscape")
    assert model.unet is not None
    assert model.vae is not None
    assert model.text_encoder is not None
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert not [warning for warning in recwarn.list if "diffusers" in str(warning.filename)]
