"""The road of a picture through the engine: read, printed, scaled, described, encoded, stored; and made again."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from promptc.plan.op import Op, Ref
from promptc.plan.ops.describe import Describe, Described
from promptc.plan.ops.encode import Encode, Format
from promptc.plan.ops.load_image import LoadImage
from promptc.plan.ops.resize import Resize
from promptc.plan.ops.store import Store
from promptc.plan.ops.ziatype import Ziatype
from promptc.plan.plan import Plan
from promptc_runtime.engine import RunError, Runtime
from promptc_runtime.imaging.encode import quantize
from promptc_runtime.metadata.read import read_file
from promptc_runtime.remake import plan_of


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime("cpu", cache=None) as runtime:
        yield runtime


@pytest.fixture
def start(tmp_path: Path) -> Path:
    path = tmp_path / "start.png"
    pixels = np.random.default_rng(0).integers(0, 256, (48, 64, 3), np.uint8)
    Image.fromarray(pixels).save(path)
    return path


def road(start: Path, *formats: Format, quality: int = 90, effort: int = 4) -> Plan:
    """A plan that prints a file once, and writes it in each format."""
    ops: list[Op] = []

    def add(op: Op) -> Ref:
        ops.append(op)
        return op.id

    digest = hashlib.sha256(start.read_bytes()).hexdigest()
    image = add(LoadImage(path=start.name, sha256=digest, width=64, height=48))
    sized = add(Resize(inputs=(add(Ziatype(inputs=(image,), seed=5)),), width=32, height=24))
    about = Described(
        prompt="a red rose",
        template="a {red|blue} rose",
        choices=(0, (1, 2)),
        seed=102,
        batch_index=2,
        width=64,
        height=48,
        steps=20,
        sampler="ddim",
        guidance=7.5,
        model="landscape",
    )
    record = add(Describe(inputs=(sized,), about=about))
    files = []
    for kind in formats:
        encoded = add(Encode(inputs=(sized, record), format=kind, quality=quality, effort=effort))
        files.append(add(Store(inputs=(encoded,), name=f"rose.{kind}")))
    return Plan(ops=tuple(ops), outputs=tuple(files))


def test_every_file_says_what_it_is(runtime: Runtime, start: Path, tmp_path: Path) -> None:
    result = runtime.run(road(start, "png", "webp", "jpeg", "tiff", "avif"), tmp_path / "out", source=tmp_path)
    assert [path.name for path in result.files] == ["rose.png", "rose.webp", "rose.jpeg", "rose.tiff", "rose.avif"]
    records = [record for path in result.files if (record := read_file(path).record) is not None]
    first = records[0]
    assert [replace(record, quality=None) for record in records] == [first] * 5
    assert [record.quality for record in records] == [None, 90, 90, None, 90], "where the format has one"
    assert (first.prompt, first.template, first.choices) == ("a red rose", "a {red|blue} rose", (0, (1, 2)))
    assert (first.seed, first.batch_index, first.width, first.height) == (102, 2, 32, 24), "the size is the file's own"
    assert first.generator.startswith("promptc ")
    assert first.model_digest == runtime.models.digest("landscape")


def test_a_picture_is_made_again_from_itself(runtime: Runtime, start: Path, tmp_path: Path) -> None:
    (path,) = runtime.run(road(start, "png"), tmp_path / "out", source=tmp_path).files
    record = read_file(path).record
    assert record is not None
    plan = Plan.model_validate(record.plan)
    assert [op.op for op in plan.ops] == ["load_image", "ziatype", "resize"], "only what makes the picture"
    assert plan.outputs == (record.plan_id,)
    again = runtime.run(plan, source=tmp_path).images[0]
    with Image.open(path) as picture:
        assert np.array_equal(np.asarray(picture), quantize(again))


@pytest.mark.parametrize("kind", ["png", "webp", "jpeg", "tiff", "avif"])
def test_a_file_is_made_again_to_the_last_byte(runtime: Runtime, start: Path, tmp_path: Path, kind: Format) -> None:
    (path,) = runtime.run(road(start, kind, quality=61, effort=2), tmp_path / "out", source=tmp_path).files
    (again,) = runtime.run(plan_of(path), tmp_path / "again", source=tmp_path).files
    assert again.name == path.name
    assert again.read_bytes() == path.read_bytes()


def test_the_same_run_writes_the_same_bytes_once(runtime: Runtime, start: Path, tmp_path: Path) -> None:
    plan = road(start, "png", "webp")
    for _ in range(2):
        runtime.run(plan, tmp_path / "out", source=tmp_path)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["rose.png", "rose.webp"]


def test_a_changed_start_stops_the_run(runtime: Runtime, start: Path, tmp_path: Path) -> None:
    plan = road(start, "png")
    Image.new("RGB", (64, 48)).save(start)
    with pytest.raises(RunError, match=r"start\.png has changed"):
        runtime.run(plan, tmp_path / "out", source=tmp_path)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_is_said_before_anything_is_made(runtime: Runtime, start: Path, tmp_path: Path) -> None:
    plan = road(start, "png")
    start.unlink()  # nothing looks for it
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match="file is a file; choose another folder for the pictures"):
        runtime.run(plan, tmp_path / "file", source=tmp_path)


def test_what_was_changed_on_the_way_is_said(tmp_path: Path) -> None:
    start = tmp_path / "start.png"
    Image.new("RGBA", (64, 48), (0, 0, 0, 9)).save(start)
    notes: list[str] = []
    Runtime("cpu", cache=None, note=notes.append).run(road(start, "png"), tmp_path / "out", source=tmp_path)
    assert notes == ["start.png: transparent parts were laid on white"]
