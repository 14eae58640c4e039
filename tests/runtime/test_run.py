"""`promptc run`: checked first, whole files, and a picture once more from its own record."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from promptc.cli import promptc as command
from promptc_runtime.metadata.read import read_file

PROMPT = "a {place}, red sky --steps 2 --size 64x64"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a prompt, and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTC_CACHE", str(tmp_path / "cache"))
    (tmp_path / "scene.prompt").write_text(PROMPT)
    return tmp_path


def promptc(*args: str) -> Result:
    return CliRunner().invoke(command, ["run", *args], catch_exceptions=False)


def main(*args: str) -> subprocess.CompletedProcess[str]:
    """The command as a user calls it."""
    return subprocess.run([sys.executable, "-m", "promptc", "run", *args], capture_output=True, text=True, check=False)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def pixels(path: Path) -> Any:
    with Image.open(path) as opened:
        return np.asarray(opened.convert("RGB"))


def test_a_prompt_becomes_a_picture_and_a_sheet(folder: Path) -> None:
    ran = promptc("scene.prompt", "place=forest", "--out", "out", "--seed", "3")
    assert ran.exit_code == 0, ran.output
    (picture,) = (folder / "out").glob("*.webp")
    assert files(folder / "out") == [picture.name, "index.html"]
    assert f"out/{picture.name}  seed 3" in ran.stdout
    assert "1 picture in" in ran.stdout
    page = (folder / "out" / "index.html").read_text()
    assert picture.name in page
    assert "a forest, red sky" in page
    record = read_file(picture).record
    assert record is not None
    assert (record.seed, record.values["place"], record.template) == (3, "forest", PROMPT)


def test_a_seed_is_drawn_and_can_be_given_back(folder: Path) -> None:
    first = promptc("scene.prompt", "place=forest", "--out", "one")
    (one,) = (folder / "one").glob("*.webp")
    record = read_file(one).record
    assert record is not None
    assert f"seed {record.seed}" in first.stdout
    promptc("scene.prompt", "place=forest", "--out", "two", "--seed", str(record.seed), "--no-cache")
    (two,) = (folder / "two").glob("*.webp")
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("format", ["webp", "png", "tiff", "jpeg"])
def test_a_picture_is_made_again_bit_for_bit(folder: Path, format: str) -> None:
    (folder / "scene.prompt").write_text(f"{PROMPT} --print ziatype --format {format}")
    promptc("scene.prompt", "place=forest", "--out", "one", "--seed", "3")
    (one,) = (path for path in (folder / "one").iterdir() if path.name != "index.html")
    again = promptc(str(one), "--out", "two", "--no-cache")
    assert again.exit_code == 0, again.output
    assert f"the same pixels as {one}" in again.stdout
    two = folder / "two" / one.name
    assert np.array_equal(pixels(one), pixels(two))
    before, after = read_file(one).record, read_file(two).record
    assert before == after


def test_a_picture_is_made_again_with_its_own_quality(folder: Path) -> None:
    (folder / "scene.prompt").write_text(f"{PROMPT} --format jpeg --quality 20")
    promptc("scene.prompt", "place=forest", "--out", "one", "--seed", "3")
    (one,) = (folder / "one").glob("*.jpg")
    promptc(str(one), "--out", "two")
    assert one.read_bytes() == (folder / "two" / one.name).read_bytes()


def test_a_picture_that_was_painted_over_is_told_apart(folder: Path) -> None:
    (folder / "scene.prompt").write_text(f"{PROMPT} --format png")
    promptc("scene.prompt", "place=forest", "--out", "one", "--seed", "3")
    (one,) = (folder / "one").glob("*.png")
    with Image.open(one) as opened:
        opened.load()
        texts = PngInfo()
        for key, value in opened.text.items():  # type: ignore[attr-defined]
            texts.add_itxt(key, value)
        opened.putpixel((3, 3), (1, 2, 3))
        opened.save(one, pnginfo=texts)
    again = promptc(str(one), "--out", "two")
    assert again.exit_code == 0, again.output
    assert "other pixels" in again.stderr


def test_a_picture_without_a_record_is_refused(folder: Path) -> None:
    Image.new("RGB", (8, 8)).save("plain.png")
    ran = main("plain.png")
    assert ran.returncode == 2
    assert "cannot be made again: it holds no plan" in ran.stderr
    assert not (folder / "out").exists()


def test_findings_come_before_any_model(folder: Path) -> None:
    (folder / "bad.prompt").write_text("(a forest")
    code = (
        "import sys, promptc.cli\n"
        "sys.argv = ['promptc', 'run', 'bad.prompt']\n"
        "try: promptc.cli.main()\n"
        "finally: print('torch' in sys.modules, 'promptc_runtime' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "E1001" in ran.stderr
    assert ran.stdout == "False False\n"
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("scene.prompt",), "place"),
        (("scene.prompt", "plac=x"), "did you mean place"),
        (("nothing.prompt",), "cannot be read"),
        (("scene.prompt", "place=x", "--cache", "c", "--no-cache"), "exclude each other"),
        (("scene.prompt", "place=x", "--seed", "-1"), "--seed"),
        (("scene.prompt", "place=x", "--out", "scene.prompt"), "is a file"),
        (("scene.prompt", "place=x", "--out", "scene.prompt/deep"), "cannot be written"),
    ],
)
def test_usage_is_2_and_leaves_nothing(folder: Path, args: tuple[str, ...], says: str) -> None:
    before = files(folder)
    ran = main(*args)
    assert ran.returncode == 2
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr
    assert files(folder) == before


def test_a_start_picture_that_is_none_is_said(folder: Path) -> None:
    Image.new("RGB", (64, 64), (200, 60, 40)).save("start.png")
    (folder / "start.prompt").write_text("hills --steps 4 --size 64x64 --init start.png --strength 0.5")
    ran = main("start.prompt")
    assert ran.returncode == 0, ran.stderr
    (picture,) = (folder / "out").glob("*.webp")
    (folder / "start.png").unlink()
    again = main(str(picture), "--out", "two", "--no-cache")
    assert again.returncode == 2
    assert "start.png" in again.stderr
    assert not (folder / "two").exists()


def test_a_folder_that_came_to_nothing_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from promptc_runtime.context import RunError
    from promptc_runtime.engine import Runtime

    def fail(*args: object, **kwargs: object) -> None:
        raise RunError("non-finite-image", "the picture is no picture")

    monkeypatch.setattr(Runtime, "run", fail)
    ran = promptc("scene.prompt", "place=x", "--out", "deep/er/out")
    assert ran.exit_code == 1
    assert "the picture is no picture" in ran.stderr
    assert not (folder / "deep").exists()


def test_what_is_not_installed_is_said_with_the_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import promptc.cli.run as module

    monkeypatch.setattr(module, "find_spec", lambda name: None if name == "torch" else object())
    ran = CliRunner().invoke(command, ["run", "scene.prompt", "place=x"])
    assert ran.exit_code != 0
    assert "pip install 'promptc-toolkit[run]'" in ran.output
    assert not (folder / "out").exists()


def test_quiet_says_nothing(folder: Path) -> None:
    ran = promptc("scene.prompt", "place=forest", "--quiet", "--seed", "3")
    assert (ran.stdout, ran.stderr) == ("", "")
    assert len(files(folder / "out")) == 2


def test_a_second_run_replaces_its_own_sheet_and_no_other(folder: Path) -> None:
    out = folder / "out"
    promptc("scene.prompt", "place=forest", "--seed", "3")
    promptc("scene.prompt", "place=desert", "--seed", "3")
    assert "desert" in (out / "index.html").read_text()
    assert len(list(out.glob("*.html"))) == 1
    (out / "index.html").write_text("<html>mine</html>")
    promptc("scene.prompt", "place=hills", "--seed", "3")
    assert (out / "index.html").read_text() == "<html>mine</html>"
    assert len(list(out.glob("*.html"))) == 2


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
def test_ctrl_c_leaves_whole_files_and_says_how_to_go_on(folder: Path) -> None:
    (folder / "many.prompt").write_text("hills --steps 400 --size 64x64 --batch 4")
    process = subprocess.Popen(
        [sys.executable, "-m", "promptc", "run", "many.prompt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not list(folder.glob("cache/results-1/*/*.safetensors")) and time.monotonic() < end:
        time.sleep(0.1)  # its text is encoded: it is denoising now
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "of 4 pictures are finished" in err
    assert "--seed" in err
    assert "Traceback" not in err
    assert not [path for path in folder.rglob("*") if path.suffix == ".part"]
