"""Pictures -> the bytes of files with profile and metadata, each opened again and compared before it is given out.

One row of `WRITERS` per format. A float picture becomes whole numbers once, by rounding, with dither on request.
"""

import hashlib
import io
import struct
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import tifffile
import torch
from PIL import Image, PngImagePlugin
from torch import Tensor

from promptc_runtime.imaging.profile import srgb
from promptc_runtime.metadata import containers, exif, parameters, record, xmp
from promptc_runtime.metadata.read import read
from promptc_runtime.metadata.record import Record

MAX_SEGMENT = 65500
"""Bytes that one segment of a JPEG takes, less its headers."""


class EncodingError(RuntimeError):
    """A file that does not hold what was put in; nothing of it is kept. The message says what differs."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The bytes of a file, checked, with what they are."""

    data: bytes
    format: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """The metadata of one picture in each of its layouts."""

    parameters: str
    record: str
    exif: bytes
    xmp: xmp.Xmp

    @property
    def packet(self) -> bytes:
        return xmp.write(self.xmp)


Pixels = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
Writer = Callable[[Pixels, Blocks, int, int], bytes]


def encode(
    image: Tensor, about: Record, kind: str, *, quality: int = 90, effort: int = 4, dither: bool = False
) -> Encoded:
    """The file of `image` [3, H, W], floating point sRGB in 0..1, on any device.

    `quality` is 1..100 for WebP, JPEG and AVIF; `effort` 0..9, where more makes smaller files (a format with fewer
    steps stops at its own last). Raises EncodingError when the file read back differs, ValueError for a wrong picture.
    """
    if image.dim() != 3 or image.shape[0] != 3:
        raise ValueError(f"a file holds one picture [3, H, W], and was given {tuple(image.shape)}")
    if kind not in WRITERS:
        raise ValueError(f"the format {kind} is not known; known are {', '.join(WRITERS)}")
    height, width = image.shape[1:]
    if (about.width, about.height) != (width, height):
        raise EncodingError(f"the record speaks of {about.width}x{about.height}, and the picture has {width}x{height}")
    writer, bits = WRITERS[kind]
    pixels = quantize(image, bits, dither=dither)
    blocks = layouts(about)
    data = writer(pixels, blocks, quality, effort)
    verify(data, kind, about, blocks)
    return Encoded(data, kind, width, height)


def quantize(image: Tensor, bits: int = 8, *, dither: bool = False) -> Pixels:
    """[3, H, W] in 0..1 -> [H, W, 3] of 8 or 16 bits: rounded once, half up. Not-a-number becomes 0.

    Dither adds noise of a triangular distribution, one step wide to each side, always the same for one size.
    """
    top = 2**bits - 1
    height, width = image.shape[1:]
    shape = (height, width, 3)
    pixels: Pixels = np.empty(shape, np.uint8) if bits == 8 else np.empty(shape, np.uint16)
    generator = torch.Generator().manual_seed(0)
    for channel, plane in enumerate(image.detach()):
        scaled = plane * top
        if dither:
            noise = torch.rand(2, height, width, generator=generator)
            scaled += (noise[0] - noise[1]).to(scaled)
        scaled = scaled.add_(0.5).nan_to_num_(0.0).clamp_(0, top)
        # Planes are woven in numpy: a permuted copy in torch takes four times as long.
        pixels[..., channel] = scaled.to(torch.uint8 if bits == 8 else torch.int32).cpu().numpy()
    return pixels


def layouts(about: Record) -> Blocks:
    """The metadata of a record in the layouts of all formats."""
    text, body = parameters.of_record(about), record.dumps(about)
    block = exif.Exif(description=about.prompt[:2000], software=about.generator, comment=text)
    return Blocks(text, body, exif.write(block), xmp.Xmp(about.prompt, about.generator, text, body))


def verify(data: bytes, kind: str, about: Record, blocks: Blocks) -> None:
    """Open the file again and compare size, profile and all metadata. Raises EncodingError."""
    contents = containers.read(io.BytesIO(data))
    found = read(io.BytesIO(data))
    checks = {
        "format": contents.format == kind,
        "size": (contents.width, contents.height) == (about.width, about.height),
        "colour profile": contents.icc == srgb(),
        "record": found.record == about,
        "parameters": kind == "tiff"
        or contents.texts.get("parameters", "") == blocks.parameters
        or _comment_kept(contents, blocks),
        "XMP": (contents.long_xmp or contents.xmp) == blocks.packet,
    }
    lost = [name for name, kept in checks.items() if not kept]
    if lost:
        raise EncodingError(
            f"the {kind} file read back has another {', '.join(lost)} than was written; it was not kept"
        )


def _comment_kept(contents: containers.Contents, blocks: Blocks) -> bool:
    """The EXIF comment is whole, or (in a JPEG, when it is over 64 kB) was left to the XMP packet."""
    kept = exif.read(contents.exif)
    return kept == exif.read(blocks.exif) or (not kept.comment and len(blocks.exif) > MAX_SEGMENT)


def _webp(pixels: Pixels, blocks: Blocks, quality: int, effort: int) -> bytes:
    return _save(
        pixels, "WEBP", quality=quality, method=min(effort, 6), exif=blocks.exif, xmp=blocks.packet, icc_profile=srgb()
    )


def _png(pixels: Pixels, blocks: Blocks, quality: int, effort: int) -> bytes:
    info = PngImagePlugin.PngInfo()
    # Strict readers take tEXt for Latin-1; `add_text` falls back to iTXt for all other text.
    info.add_text("parameters", blocks.parameters)
    info.add_itxt("promptc", blocks.record)
    info.add_itxt("XML:com.adobe.xmp", blocks.packet.decode())
    return _save(pixels, "PNG", compress_level=effort, pnginfo=info, icc_profile=srgb())


def _jpeg(pixels: Pixels, blocks: Blocks, quality: int, effort: int) -> bytes:
    block, packet = blocks.exif, blocks.packet
    rest: list[bytes] = []
    if len(packet) > MAX_SEGMENT:
        guid = hashlib.md5(packet, usedforsecurity=False).hexdigest().upper()
        rest = containers.long_xmp(packet, guid.encode())
        packet = xmp.write(xmp.Xmp(creator=blocks.xmp.creator), guid)
    if len(block) > MAX_SEGMENT:
        kept = exif.read(block)
        block = exif.write(exif.Exif(kept.description, kept.software))
    data = _save(
        pixels, "JPEG", quality=quality, optimize=effort >= 2, subsampling=0 if quality >= 90 else 2,
        exif=b"Exif\0\0" + block, xmp=packet, icc_profile=srgb(),
    )  # fmt: skip
    return _with_segments(data, rest) if rest else data


def _with_segments(data: bytes, bodies: list[bytes]) -> bytes:
    """A JPEG with more APP1 segments, after those that it has: Pillow has no place for a second packet."""
    place = 2
    while data[place] == 0xFF and 0xE0 <= data[place + 1] <= 0xEF:
        place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    added = b"".join(b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body for body in bodies)
    return data[:place] + added + data[place:]


def _avif(pixels: Pixels, blocks: Blocks, quality: int, effort: int) -> bytes:
    return _save(
        pixels, "AVIF", quality=quality, speed=10 - effort, exif=blocks.exif, xmp=blocks.packet, icc_profile=srgb()
    )


def _tiff(pixels: Pixels, blocks: Blocks, quality: int, effort: int) -> bytes:
    packet = blocks.packet
    plain = exif.read(blocks.exif)
    buffer = io.BytesIO()
    tifffile.imwrite(
        buffer,
        pixels,
        photometric="rgb",
        # Prints are full of fine texture: the first level packs them as well as the last.
        compression="zlib" if effort else None,
        compressionargs={"level": max(1, effort - 3)} if effort else None,
        predictor=bool(effort),
        # One strip of about 1 MB at a time: readers need no more in memory.
        rowsperstrip=max(1, (1 << 20) // (pixels.shape[1] * 6)),
        iccprofile=srgb(),
        description=plain.description,
        software=plain.software,
        metadata=None,
        extratags=[(700, 1, len(packet), packet, True)],
    )
    return buffer.getvalue()


def _save(pixels: Pixels, name: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    try:
        Image.fromarray(pixels).save(buffer, name, **options)
    except (OSError, ValueError) as error:
        raise EncodingError(
            f"a {name} file of {pixels.shape[1]}x{pixels.shape[0]} cannot be written ({error})"
        ) from None
    return buffer.getvalue()


WRITERS: dict[str, tuple[Writer, int]] = {
    "webp": (_webp, 8),
    "png": (_png, 8),
    "jpeg": (_jpeg, 8),
    "tiff": (_tiff, 16),
    "avif": (_avif, 8),
}
"""What writes each format, and its bits a channel."""
