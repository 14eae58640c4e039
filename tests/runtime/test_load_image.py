"""Pictures from files: bounds, orientation, colour, transparency, and content that is what the plan says."""

import hashlib
import io
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from promptc_runtime.imaging.encode import quantize
from promptc_runtime.imaging.load import decode, load
from promptc_runtime.imaging.profile import srgb
from promptc_runtime.metadata.containers import ImageError

# Adobe RGB (1998): primaries adapted to D50, gamma 563/256.
WIDE = np.array([[0.60974, 0.20528, 0.14919], [0.31111, 0.62567, 0.06322], [0.01947, 0.06087, 0.74457]])
TO_SRGB = np.linalg.inv(
    np.array([[0.43607, 0.38515, 0.14307], [0.22249, 0.71687, 0.06061], [0.01392, 0.09708, 0.71410]])
)


def saved(picture: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def wide_profile() -> bytes:
    """An ICC profile of Adobe RGB: matrix and gamma."""

    def fixed(value: float) -> bytes:
        return struct.pack(">i", round(value * 65536))

    def xyz(values: Iterable[float]) -> bytes:
        return b"XYZ \0\0\0\0" + b"".join(map(fixed, values))

    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(563 / 256 * 256)) + b"\0\0"
    text = b"text\0\0\0\0none\0\0\0\0"
    description = b"desc\0\0\0\0" + struct.pack(">I", 5) + b"wide\0" + bytes(78 + 1)
    tags = [(b"desc", description), (b"cprt", text), (b"wtpt", xyz([0.9642, 1, 0.8249]))]
    tags += [(name, xyz(WIDE[:, n])) for n, name in enumerate((b"rXYZ", b"gXYZ", b"bXYZ"))]
    tags += [(name, curve) for name in (b"rTRC", b"gTRC", b"bTRC")]
    place, table, body = 128 + 4 + 12 * len(tags), struct.pack(">I", len(tags)), b""
    for name, value in tags:
        value = value.ljust(-len(value) % 4 + len(value), b"\0")
        table += name + struct.pack(">II", place + len(body), len(value))
        body += value
    head = struct.pack(">I4sI4s4s4s", place + len(body), b"none", 0x02400000, b"mntr", b"RGB ", b"XYZ ")
    head += struct.pack(">6H4s", 2024, 1, 1, 0, 0, 0, b"acsp") + bytes(28)
    head += b"".join(map(fixed, (0.9642, 1.0, 0.8249))) + bytes(48)
    return head + table + body


def test_a_picture_is_float_in_order() -> None:
    image, notes = decode(saved(Image.new("RGB", (5, 3), (255, 51, 0))))
    assert image.shape == (3, 3, 5)
    assert image[:, 0, 0].tolist() == pytest.approx([1.0, 0.2, 0.0])
    assert notes == ()


def test_colours_are_converted_through_the_profile() -> None:
    values = np.array([[[128, 128, 128], [200, 160, 140], [90, 120, 150], [60, 80, 60], [255, 255, 255]]], np.uint8)
    image, notes = decode(saved(Image.fromarray(values), icc_profile=wide_profile()))
    light = TO_SRGB @ WIDE @ ((values[0] / 255.0) ** (563 / 256)).T
    expected = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.clip(light, 0, 1) ** (1 / 2.4) - 0.055)
    assert np.abs(image[:, 0].numpy() - expected).max() < 2 / 255
    assert notes == ()


def test_a_useless_profile_is_said() -> None:
    image, notes = decode(saved(Image.new("RGB", (2, 2), "white"), icc_profile=b"no profile at all" * 20))
    assert image.min() == 1
    assert notes == ("the colour profile cannot be used; the colours were taken for sRGB",)


@pytest.mark.parametrize(("orientation", "corner"), [(1, (0, 0)), (3, (1, 2)), (6, (0, 1)), (8, (2, 0))])
def test_a_picture_stands_upright(orientation: int, corner: tuple[int, int]) -> None:
    picture = Image.new("RGB", (3, 2))
    picture.putpixel((0, 0), (255, 255, 255))
    block = Image.Exif()
    block[0x0112] = orientation
    image, _ = decode(saved(picture, exif=block))
    assert image[0].argmax() == corner[0] * image.shape[2] + corner[1]


def test_transparency_is_laid_on_white_and_said() -> None:
    picture = Image.new("RGBA", (2, 1), (0, 0, 0, 255))
    picture.putpixel((1, 0), (0, 0, 0, 51))
    image, notes = decode(saved(picture))
    assert image[0, 0].tolist() == pytest.approx([0.0, 0.8])
    assert notes == ("transparent parts were laid on white",)


def test_a_palette_with_a_transparent_entry() -> None:
    picture = Image.new("P", (2, 1))
    picture.putpalette([0, 0, 0, 255, 0, 0])
    picture.putpixel((1, 0), 1)
    image, notes = decode(saved(picture, transparency=0))
    assert image[:, 0, 0].tolist() == [1, 1, 1]
    assert image[:, 0, 1].tolist() == [1, 0, 0]
    assert notes == ("transparent parts were laid on white",)


def test_full_cover_needs_no_note() -> None:
    assert decode(saved(Image.new("RGBA", (2, 1), (0, 0, 0, 255))))[1] == ()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB"])
def test_every_mode_becomes_three_channels(mode: str) -> None:
    image, _ = decode(
        saved(
            Image.new("RGB", (4, 4), "white").convert("RGB" if mode == "LAB" else mode),
            "TIFF" if mode in ("CMYK", "YCbCr", "LAB") else "PNG",
        )
    )
    assert image.shape == (3, 4, 4)
    assert float(image.min()) > 0.98


def test_sixteen_bit_grey_is_not_clipped() -> None:
    image, _ = decode(saved(Image.fromarray(np.array([[128, 256, 300, 65535]], np.uint16))))
    assert torch.round(image[0, 0] * 255).tolist() == [0, 1, 1, 255]


def test_only_the_first_frame_is_used_and_said() -> None:
    frames = [Image.new("RGB", (2, 2), colour) for colour in ("white", "black")]
    image, notes = decode(saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True))
    assert float(image.min()) > 0.99
    assert notes == ("only the first frame is used",)


def test_too_large_a_picture_is_refused_by_its_header() -> None:
    head = b"IHDR" + struct.pack(">IIBBBBB", 14000, 14000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n\0\0\0\x0d" + head + struct.pack(">I", zlib.crc32(head))
    bomb += (
        b"\0\0\0\0IDAT"
        + struct.pack(">I", zlib.crc32(b"IDAT"))
        + b"\0\0\0\0IEND"
        + struct.pack(">I", zlib.crc32(b"IEND"))
    )
    with pytest.raises(ImageError, match=r"too large to be opened \(Image size \(196000000 pixels\) exceeds limit"):
        decode(bomb)
    with pytest.raises(ImageError, match="has 20x20 = 400 pixels, more than the 399 allowed"):
        decode(saved(Image.new("RGB", (20, 20))), max_pixels=399)


def test_the_limit_of_the_library_stays_on() -> None:
    before = Image.MAX_IMAGE_PIXELS
    decode(saved(Image.new("RGB", (20, 20))))
    assert before == Image.MAX_IMAGE_PIXELS is not None


def test_large_texts_do_not_keep_from_the_pixels() -> None:
    data = saved(Image.new("RGB", (8, 8), "white"))
    text = b"zTXtComment\0\0" + zlib.compress(b"x" * 2_000_000, 9)
    bomb = data[:33] + struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text)) + data[33:]
    assert decode(bomb)[0].min() == 1


def test_a_damaged_picture_is_refused() -> None:
    data = saved(Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)), "JPEG")
    with pytest.raises(ImageError, match="damaged"):
        decode(data[: len(data) // 2])


def test_the_content_is_the_one_of_the_plan(tmp_path: Path) -> None:
    path = tmp_path / "start.png"
    data = saved(Image.new("RGB", (4, 4)))
    path.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    loaded = load(path, sha256=digest)
    assert loaded.image.shape == (1, 3, 4, 4)
    assert loaded.sha256 == digest
    path.write_bytes(saved(Image.new("RGB", (4, 4), "white")))
    with pytest.raises(ImageError, match=f"has changed: the plan was made for content {digest[:12]}"):
        load(path, sha256=digest)


@pytest.mark.parametrize("kind", ["EPS", "PDF", "ICO"])
def test_what_is_a_program_or_no_photograph_is_not_opened(kind: str) -> None:
    with pytest.raises(ImageError, match="no picture that can be read"):
        decode(saved(Image.new("RGB", (32, 32)), kind))


def test_our_own_profile_changes_nothing() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (16, 16, 3), np.uint8)
    image, _ = decode(saved(Image.fromarray(pixels), icc_profile=srgb()))
    assert np.array_equal(quantize(image), pixels)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"none\.png cannot be read: no such file or directory"):
        load(tmp_path / "none.png")


def test_a_file_that_is_no_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_text("words")
    with pytest.raises(ImageError, match=r"x\.png: it is no picture"):
        load(tmp_path / "x.png")
