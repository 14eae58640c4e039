"""`promptc read`, on our pictures, on those of other tools, and on files that mean harm."""

import io
import json
import struct
import zlib
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from PIL import Image, PngImagePlugin

from promptc.cli.read import read as command
from promptc_runtime.imaging.encode import encode
from promptc_runtime.metadata import exif
from promptc_runtime.metadata.containers import PNG, ImageError, without_texts
from promptc_runtime.metadata.exif import Exif
from promptc_runtime.metadata.read import read, read_file
from promptc_runtime.metadata.record import Record

WEBUI = (
    "fox, ink\nNegative prompt: blur\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 5, Size: 64x64, Version: v1.10.1"
)
PROMPT_GRAPH = {
    "3": {"class_type": "KSampler", "inputs": {"seed": 5, "steps": 20}},
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "fox, ink"}},
}
RECORD = Record(generator="promptc 0.1.0", prompt="a barn", seed=3, width=8, height=8, plan={"version": 1})


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*extra: bytes) -> bytes:
    """An 8x8 picture with more chunks after its head."""
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "grey").save(buffer, "PNG")
    data = buffer.getvalue()
    return data[:33] + b"".join(extra) + data[33:]


def text_png(**texts: str) -> bytes:
    buffer, info = io.BytesIO(), PngImagePlugin.PngInfo()
    for key, value in texts.items():
        info.add_text(key, value)
    Image.new("RGB", (8, 8)).save(buffer, "PNG", pnginfo=info)
    return buffer.getvalue()


def test_a_web_ui_png() -> None:
    found = read(io.BytesIO(text_png(parameters=WEBUI)))
    assert found.record is None
    assert found.parameters is not None
    assert (found.parameters.prompt, found.parameters.negative) == ("fox, ink", "blur")
    assert found.parameters.settings["Seed"] == "5"
    assert found.generator == "web UI v1.10.1"


@pytest.mark.parametrize("kind", ["JPEG", "WEBP"])
def test_a_web_ui_picture_in_another_format(kind: str) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, kind, exif=b"Exif\0\0" + exif.write(Exif(comment=WEBUI)))
    found = read(io.BytesIO(buffer.getvalue()))
    assert found.parameters is not None
    assert found.parameters.prompt == "fox, ink"
    assert found.texts == {}


def test_a_comfyui_png() -> None:
    workflow: dict[str, list[object]] = {"nodes": [], "links": []}
    found = read(io.BytesIO(text_png(prompt=json.dumps(PROMPT_GRAPH), workflow=json.dumps(workflow))))
    assert found.generator == "ComfyUI"
    assert found.graphs == {"prompt": PROMPT_GRAPH, "workflow": workflow}
    assert found.texts == {}


def test_a_comfyui_webp() -> None:
    picture, block, buffer = Image.new("RGB", (8, 8)), Image.Exif(), io.BytesIO()
    block[exif.MODEL] = f"prompt:{json.dumps(PROMPT_GRAPH)}"
    picture.save(buffer, "WEBP", exif=block)
    assert read(io.BytesIO(buffer.getvalue())).graphs == {"prompt": PROMPT_GRAPH}


def test_a_text_called_prompt_is_no_graph() -> None:
    found = read(io.BytesIO(text_png(prompt="a fox")))
    assert found.graphs == {}
    assert found.texts == {"prompt": "a fox"}


def test_what_a_file_says_outright_comes_before_its_layout() -> None:
    both = text_png(parameters=WEBUI.replace("v1.10.1", "promptc 0.1.0"), workflow=json.dumps({"nodes": []}))
    assert read(io.BytesIO(both)).generator == "promptc 0.1.0"


def test_other_texts_are_all_shown() -> None:
    found = read(io.BytesIO(text_png(Comment="by hand", Software="Darkroom 3")))
    assert found.texts == {"Comment": "by hand", "Software": "Darkroom 3"}
    assert found.generator == "Darkroom 3"


def test_a_damaged_record_is_a_note_and_the_rest_is_read() -> None:
    found = read(io.BytesIO(text_png(promptc="{", parameters=WEBUI)))
    assert found.record is None
    assert found.parameters is not None
    assert "the promptc record is not used" in found.notes[0]


def test_text_that_unpacks_a_thousandfold_is_left_out() -> None:
    bomb = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"x" * 2_000_000, 9))
    found = read(io.BytesIO(png(bomb, chunk(b"tEXt", b"parameters\0" + WEBUI.encode()))))
    assert len(bomb) < 4_000
    assert found.parameters is not None, "the rest is still read"
    assert found.notes[0].startswith("text-too-large: Comment unpacks to more than 1048576 bytes")


def test_a_packed_international_text_has_the_same_limit() -> None:
    bomb = chunk(b"iTXt", b"promptc\0\1\0\0\0" + zlib.compress(b"x" * 2_000_000, 9))
    assert read(io.BytesIO(png(bomb))).notes[0].startswith("text-too-large")


def test_packed_text_within_the_limit_is_read() -> None:
    packed = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"by hand"))
    assert read(io.BytesIO(png(packed))).texts == {"Comment": "by hand"}


def test_all_texts_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptc_runtime.metadata.containers.MAX_TEXTS", 1000)
    texts = [chunk(b"tEXt", b"Key%d\0" % n + b"x" * 400) for n in range(4)]
    found = read(io.BytesIO(png(*texts)))
    assert len(found.texts) == 2
    assert len(found.notes) == 2


def test_a_chunk_with_a_wrong_checksum_is_left_out() -> None:
    wrong = chunk(b"tEXt", b"Comment\0by hand")[:-1] + b"!"
    found = read(io.BytesIO(png(wrong)))
    assert found.texts == {}
    assert "damaged" in found.notes[0]


def test_the_pixels_are_readable_without_the_texts() -> None:
    bomb = png(chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"x" * 2_000_000, 9)))
    with pytest.raises(ValueError, match="too large"):
        Image.open(io.BytesIO(bomb)).load()
    Image.open(io.BytesIO(without_texts(bomb))).load()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a picture",
        PNG,
        png()[:40],
        png()[:-9],
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"\xff\xd8\xff\xe0\0\x10JFIF",
        b"II*\0",
    ],
)
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(ImageError):
        read(io.BytesIO(data))


# The command.


def write(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize("kind", ["png", "webp", "jpeg", "tiff", "avif"])
def test_the_command_prints_what_is_there(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / "x", encode(torch.zeros(3, 8, 8), RECORD, kind).data)
    result = CliRunner().invoke(command, [path])
    assert result.exit_code == 0
    assert "generator: promptc 0.1.0\n" in result.output
    assert f"picture: {kind} 8x8\n" in result.output
    assert "prompt: a barn\n" in result.output
    assert "seed: 3\n" in result.output
    assert 'plan: {"version": 1}\n' in result.output


def test_the_command_gives_json(tmp_path: Path) -> None:
    path = write(tmp_path / "x.png", encode(torch.zeros(3, 8, 8), RECORD, "png").data)
    document = json.loads(CliRunner().invoke(command, [path, "--output-format", "json"]).stdout)
    assert document["record"]["prompt"] == "a barn"
    assert document["record"]["plan"] == {"version": 1}
    assert document["parameters"]["settings"]["Version"] == "promptc 0.1.0"
    assert document["profile"] is True


def test_a_picture_that_says_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "x.png", png())
    result = CliRunner().invoke(command, [path])
    assert result.exit_code == 1
    assert result.output == f"{path} is a png picture of 8x8, and says nothing of how it was made.\n"


def test_no_picture_and_no_file(tmp_path: Path) -> None:
    path = write(tmp_path / "x.png", b"text")
    result = CliRunner().invoke(command, [path])
    assert result.exit_code != 0
    assert "it is no picture that can be read" in result.output
    result = CliRunner().invoke(command, [str(tmp_path / "none.png")])
    assert "cannot be read: no such file or directory" in result.output


def test_control_characters_of_a_stranger_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = write(tmp_path / "x.png", text_png(Comment="\x1b[2Jboo"))
    assert "\\x1b[2Jboo" in CliRunner().invoke(command, [path]).output


def test_reading_needs_no_torch() -> None:
    import subprocess
    import sys

    program = (
        "import sys, promptc_runtime.metadata.read, promptc.cli.read;"
        "sys.exit(' '.join({'torch', 'numpy'} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_reading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.webp"
    path.write_bytes(encode(torch.zeros(3, 8, 8), RECORD, "webp").data)
    assert read_file(path).record == RECORD
