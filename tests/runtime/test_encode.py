"""Files: profile, metadata and pixels of every format, as other readers see them."""

import io
import struct
import tomllib
import zlib
from importlib.resources import files

import numpy as np
import pytest
import tifffile
import torch
from PIL import Image

import promptc_runtime.imaging.encode as module
from promptc.plan.ops.encode import Format
from promptc_runtime.imaging.encode import WRITERS, EncodingError, encode, layouts, quantize, verify
from promptc_runtime.imaging.profile import srgb
from promptc_runtime.metadata import containers, exif
from promptc_runtime.metadata.read import read
from promptc_runtime.metadata.record import Record

FORMATS = tomllib.loads(files("promptc_grammar").joinpath("formats.toml").read_text("utf-8"))
PICTURE = torch.rand(3, 30, 41, generator=torch.Generator().manual_seed(0))
PROMPTS = [
    "a barn, at dawn",
    "café",
    "写真 lamp 🌅",
    'a "fox": a study?\nNegative prompt: no\nSteps: 1, Seed: 2, Size: 3x3',
    "control \x00 \x1b \ufffe and <xml> & ]]>\r\n",
]


def about(prompt: str = "a barn", width: int = 41, height: int = 30, **fields: object) -> Record:
    return Record(
        generator="promptc 0.1.0",
        prompt=prompt,
        negative="blur",
        template="a {thing}",
        values={"thing": "barn", "strength": 1.5},
        choices=(1, 0),
        seed=7,
        width=width,
        height=height,
        steps=20,
        plan={"version": 1, "ops": [{"op": "decode"}]},
        **fields,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("prompt", PROMPTS)
def test_everything_comes_back_from_every_format(kind: str, prompt: str) -> None:
    made = encode(PICTURE, about(prompt), kind)
    found = read(io.BytesIO(made.data))
    assert found.record == about(prompt)
    assert found.generator == "promptc 0.1.0"
    assert found.parameters is not None
    assert (found.parameters.prompt, found.parameters.negative) == (prompt, "blur")
    assert found.texts == {}
    assert found.notes == ()


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_carries_the_profile(kind: str) -> None:
    with Image.open(io.BytesIO(encode(PICTURE, about(), kind).data)) as picture:
        assert picture.info["icc_profile"] == srgb()
        assert picture.size == (41, 30)


@pytest.mark.parametrize("kind", WRITERS)
def test_the_same_picture_is_the_same_bytes(kind: str) -> None:
    assert encode(PICTURE, about(), kind).data == encode(PICTURE.clone(), about(), kind).data


@pytest.mark.parametrize("effort", [0, 1, 9])
def test_a_tiff_holds_sixteen_bits_exactly(effort: int) -> None:
    with tifffile.TiffFile(io.BytesIO(encode(PICTURE, about(), "tiff", effort=effort).data)) as file:
        pixels = file.asarray()
    expected = np.floor(PICTURE.double().numpy() * 65535 + 0.5).transpose(1, 2, 0)
    assert pixels.dtype == np.uint16
    assert np.abs(pixels - expected).max() <= 1


def test_a_png_holds_the_pixels_exactly() -> None:
    with Image.open(io.BytesIO(encode(PICTURE, about(), "png").data)) as picture:
        assert np.array_equal(np.asarray(picture), quantize(PICTURE))


@pytest.mark.parametrize("kind", ["webp", "jpeg", "avif"])
def test_quality_costs_bytes(kind: str) -> None:
    low, high = (len(encode(PICTURE, about(), kind, quality=quality).data) for quality in (20, 95))
    assert low < high


@pytest.mark.parametrize(("value", "eight"), [(128, 0), (256, 1), (300, 1), (65535, 255)])
def test_sixteen_bits_become_eight_by_rounding(value: int, eight: int) -> None:
    assert quantize(torch.full((3, 1, 1), value / 65535, dtype=torch.float64))[0, 0, 0] == eight


def test_every_whole_value_is_kept() -> None:
    for bits in (8, 16):
        values = torch.arange(2**bits, dtype=torch.float32).div(2**bits - 1).expand(3, 1, -1)
        assert np.array_equal(quantize(values, bits)[0, :, 0], np.arange(2**bits))


def test_what_is_out_of_range_is_clamped_and_nothing_wraps() -> None:
    wild = torch.tensor([-0.1, 1.1, float("nan"), float("inf")]).expand(3, 1, 4)
    assert quantize(wild)[0, :, 0].tolist() == [0, 255, 0, 255]


def test_quantizing_leaves_the_picture_alone() -> None:
    before = PICTURE.clone()
    quantize(PICTURE, dither=True)
    assert torch.equal(PICTURE, before)


def test_dither_keeps_the_mean_between_two_steps() -> None:
    grey = torch.full((3, 200, 200), 100.3 / 255)
    assert quantize(grey).mean() == 100
    assert quantize(grey, dither=True).mean() == pytest.approx(100.3, abs=0.02)
    assert np.array_equal(quantize(grey, dither=True), quantize(grey, dither=True))


def chunk_kinds(data: bytes) -> dict[str, bytes]:
    """The kind of chunk that each text of a PNG is in, and whether it is packed."""
    file, kinds = io.BytesIO(data), {}
    for kind, length in containers.chunks(file):
        if kind in (b"tEXt", b"iTXt", b"zTXt"):
            body = file.read(length)
            key, _, rest = body.partition(b"\0")
            assert kind != b"zTXt"
            assert kind == b"tEXt" or rest[0] == 0, "no text is packed: every reader has a limit on what it unpacks"
            kinds[key.decode()] = kind
    return kinds


def test_png_texts_are_latin_or_marked_as_utf8() -> None:
    latin, foreign = (chunk_kinds(encode(PICTURE, about(prompt), "png").data) for prompt in ("café", "写真"))
    assert latin == {"parameters": b"tEXt", "promptc": b"iTXt", "XML:com.adobe.xmp": b"iTXt"}
    assert foreign["parameters"] == b"iTXt"


def test_other_readers_find_the_png_text() -> None:
    with Image.open(io.BytesIO(encode(PICTURE, about("写真"), "png").data)) as picture:
        assert picture.info["parameters"].startswith("写真\nNegative prompt: blur\n")


@pytest.mark.parametrize("kind", ["webp", "jpeg", "avif"])
def test_other_readers_find_the_exif_comment(kind: str) -> None:
    with Image.open(io.BytesIO(encode(PICTURE, about("写真"), kind).data)) as picture:
        comment = picture.getexif().get_ifd(exif.EXIF_IFD)[exif.USER_COMMENT]
        assert picture.getexif()[exif.DESCRIPTION] == "??"
    assert comment[:8] == b"UNICODE\0"
    assert comment[8:].decode("utf-16-le").startswith("写真\nNegative prompt: blur\n")


@pytest.mark.parametrize("kind", WRITERS)
def test_a_very_long_prompt_is_kept_whole(kind: str) -> None:
    """Over 64 kB in every layout: a JPEG needs a second packet for it, and its comment has no room."""
    long = about("写真, " * 20_000)
    found = read(io.BytesIO(encode(PICTURE, long, kind).data))
    assert found.record == long


def test_a_jpeg_with_a_second_packet_is_read_by_others() -> None:
    data = encode(PICTURE, about("写真, " * 20_000), "jpeg").data
    with Image.open(io.BytesIO(data)) as picture:
        picture.load()
        assert [name for name, _ in picture.applist][:1] == ["APP0"]  # type: ignore[attr-defined]
        assert picture.info["icc_profile"] == srgb()


def without_chunk(data: bytes, dropped: bytes) -> bytes:
    file, parts = io.BytesIO(data), [data[:8]]
    for kind, length in containers.chunks(file):
        start = file.tell() - 8
        if kind != dropped:
            parts.append(data[start : start + length + 12])
    return b"".join(parts)


@pytest.mark.parametrize(
    ("dropped", "lost"), [(b"iCCP", "colour profile"), (b"tEXt", "parameters"), (b"iTXt", "record, XMP")]
)
def test_a_file_that_lost_something_is_refused(dropped: bytes, lost: str) -> None:
    data = encode(PICTURE, about(), "png").data
    verify(data, "png", about(), layouts(about()))
    with pytest.raises(EncodingError, match=f"another {lost} than was written"):
        verify(without_chunk(data, dropped), "png", about(), layouts(about()))


def test_a_record_of_another_size_is_refused() -> None:
    with pytest.raises(EncodingError, match="speaks of 40x30, and the picture has 41x30"):
        encode(PICTURE, about(width=40), "png")


def test_what_the_encoder_refuses_is_said_plainly(capfd: pytest.CaptureFixture[str]) -> None:
    wide = torch.zeros(3, 1, 16384)
    with pytest.raises(EncodingError, match=r"WEBP file of 16384x1 cannot be written"):
        encode(wide, about(width=16384, height=1), "webp")
    assert encode(wide, about(width=16384, height=1), "png").width == 16384


def test_webp_takes_its_limit() -> None:
    assert encode(torch.zeros(3, 1, 16383), about(width=16383, height=1), "webp", effort=0).width == 16383


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="the format gif is not known; known are webp, png, jpeg, tiff, avif"):
        encode(PICTURE, about(), "gif")


def test_the_table_of_formats_is_the_one_that_is_written() -> None:
    assert set(FORMATS) == set(WRITERS) == set(Format.__args__)  # type: ignore[attr-defined]
    for kind, row in FORMATS.items():
        assert row["bit_depth"] == WRITERS[kind][1]
        data = encode(PICTURE, about(), kind).data
        assert Image.registered_extensions()[row["suffix"]].lower() == kind
        assert Image.open(io.BytesIO(data)).get_format_mimetype() == row["media_type"]


def test_the_profile_does_not_hold_the_time() -> None:
    srgb.cache_clear()
    assert srgb() == srgb()
    assert struct.unpack(">6H", srgb()[24:36])[0] == 2024


def test_nothing_is_given_out_when_the_file_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check runs on the real bytes: a writer that forgets the profile is caught."""
    write_png = WRITERS["png"][0]

    def forgetful(pixels: module.Pixels, blocks: module.Blocks, quality: int, effort: int) -> bytes:
        return without_chunk(write_png(pixels, blocks, quality, effort), b"iCCP")

    monkeypatch.setattr(module, "WRITERS", {"png": (forgetful, 8)})
    with pytest.raises(EncodingError, match="colour profile"):
        encode(PICTURE, about(), "png")


def test_a_text_chunk_has_a_right_checksum() -> None:
    data = encode(PICTURE, about(), "png").data
    file = io.BytesIO(data)
    for kind, length in containers.chunks(file):
        body = file.read(length)
        assert file.read(4) == struct.pack(">I", zlib.crc32(kind + body))
