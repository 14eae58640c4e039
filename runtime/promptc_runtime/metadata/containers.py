"""What a file holds beside its pixels: texts, EXIF, XMP and colour profile, without decoding the picture.

PNG chunks are walked here, with bounds on what compressed text may grow to; the other formats go through Pillow.
"""

import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO

from PIL import Image, UnidentifiedImageError

PNG = b"\x89PNG\r\n\x1a\n"
MAX_TEXT = 1 << 20
"""Bytes that one compressed text may have when unpacked."""
MAX_TEXTS = 64 << 20
"""Bytes that the texts of one file may have together."""

FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "AVIF", "GIF", "BMP", "PPM", "JPEG2000")
"""What is opened: pictures that are data. EPS and its like are programs, and are not run."""

_TEXT_CHUNKS = frozenset({b"tEXt", b"zTXt", b"iTXt"})
_EXTENDED = b"http://ns.adobe.com/xmp/extension/\0"
_STANDARD = b"http://ns.adobe.com/xap/1.0/\0"


class ImageError(ValueError):
    """A file that is no picture, or is damaged, or too large to be opened; the message says which."""


@dataclass(slots=True)
class Contents:
    """`texts` are PNG texts and JPEG comments by key; the other blocks are raw bytes, empty where there are none.

    `long_xmp` is the second packet that a JPEG has when the first is over 64 kB.
    """

    format: str
    width: int
    height: int
    texts: dict[str, str] = field(default_factory=dict)
    exif: bytes = b""
    xmp: bytes = b""
    long_xmp: bytes = b""
    icc: bytes = b""
    notes: list[str] = field(default_factory=list)


def read(file: BinaryIO) -> Contents:
    """Read from the start of a seekable file. Raises ImageError."""
    head = file.read(8)
    file.seek(0)
    return _read_png(file) if head == PNG else _read_other(file)


def chunks(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """The kinds and lengths of a PNG's chunks; at each, the file stands at its data. Raises ImageError when cut off."""
    file.seek(8)
    while True:
        head = file.read(8)
        if len(head) < 8:
            raise ImageError("the PNG ends before its last chunk")
        length, kind = struct.unpack(">I4s", head)
        after = file.tell() + length + 4
        yield kind, length
        if kind == b"IEND":
            return
        file.seek(after)


def _read_png(file: BinaryIO) -> Contents:
    found = Contents("png", 0, 0)
    budget = MAX_TEXTS
    for kind, length in chunks(file):
        if kind == b"IHDR":
            found.width, found.height = struct.unpack(">II", file.read(8).ljust(8, b"\0"))
        elif kind in _TEXT_CHUNKS or kind in (b"eXIf", b"iCCP"):
            if length > budget:
                found.notes.append(f"text-too-large: a {kind.decode()} chunk of {length} bytes was left out")
                continue
            data = file.read(length)
            if len(data) < length or file.read(4) != struct.pack(">I", zlib.crc32(kind + data)):
                found.notes.append(f"a {kind.decode()} chunk is damaged and was left out")
                continue
            budget -= _take_chunk(found, kind, data)
    if not found.width or not found.height:
        raise ImageError("the PNG has no size")
    return found


def _take_chunk(found: Contents, kind: bytes, data: bytes) -> int:
    """Put a chunk where it belongs; returns the bytes that it took."""
    if kind == b"eXIf":
        found.exif = data
        return len(data)
    key_bytes, _, body = data.partition(b"\0")
    key = key_bytes.decode("latin-1")
    encoding, packed = "latin-1", kind in (b"zTXt", b"iCCP")
    if kind == b"iTXt":
        packed, encoding = body[:1] == b"\1", "utf-8"
        body = body[2:].partition(b"\0")[2].partition(b"\0")[2]
    elif packed:
        body = body[1:]
    if packed:
        unpacked = _unpack(body)
        if unpacked is None:
            found.notes.append(
                f"text-too-large: {key} unpacks to more than {MAX_TEXT} bytes, or is damaged, and was left out"
            )
            return 0
        body = unpacked
    if kind == b"iCCP":
        found.icc = body
    elif key == "XML:com.adobe.xmp":
        found.xmp = body
    else:
        found.texts[key] = body.decode(encoding, "replace")
    return len(body)


def _unpack(data: bytes) -> bytes | None:
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(data, MAX_TEXT)
    except zlib.error:
        return None
    return None if unpacker.unconsumed_tail else body


def without_texts(data: bytes) -> bytes:
    """A PNG without its text chunks, so that they keep no reader from the pixels; other files as they are."""
    if data[:8] != PNG:
        return data
    file = BytesIO(data)
    parts, whole = [PNG], True
    for kind, length in chunks(file):
        start = file.tell() - 8
        if kind in _TEXT_CHUNKS:
            whole = False
        else:
            parts.append(data[start : start + length + 12])
    return data if whole else b"".join(parts)


def open_image(file: BinaryIO) -> Image.Image:
    """Open with Pillow: the header only. Raises ImageError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            return Image.open(file, formats=FORMATS)
    except UnidentifiedImageError:
        raise ImageError("it is no picture that can be read") from None
    except Image.DecompressionBombError as error:
        raise ImageError(f"it is too large to be opened ({str(error).split(chr(44))[0]})") from None
    except (OSError, ValueError, SyntaxError, struct.error, EOFError) as error:
        raise ImageError(f"it is damaged ({error})") from None


def _read_other(file: BinaryIO) -> Contents:
    image = open_image(file)
    found = Contents((image.format or "").lower(), *image.size)
    info = image.info
    found.icc = info.get("icc_profile") or b""
    found.exif = info.get("exif") or b""
    packet = info.get("xmp") or b""
    found.xmp = packet.encode() if isinstance(packet, str) else packet
    if isinstance(info.get("comment"), bytes):
        found.texts["comment"] = info["comment"].decode("utf-8", "replace")
    found.long_xmp = _joined(getattr(image, "applist", []))
    if found.format == "tiff":
        tags = getattr(image, "tag_v2", {})
        for number, key in ((270, "ImageDescription"), (305, "Software")):
            if isinstance(tags.get(number), str):
                found.texts[key] = tags[number]
    return found


def _joined(segments: list[tuple[str, bytes]]) -> bytes:
    """The long packet that a JPEG holds in pieces of 64 kB, or nothing. A missing piece is filled with blanks."""
    standard = b"".join(data for name, data in segments if name == "APP1" and data.startswith(_STANDARD))
    packet = bytearray()
    for name, data in segments:
        if name != "APP1" or not data.startswith(_EXTENDED):
            continue
        guid, (length, offset) = data[35:67], struct.unpack_from(">II", data, 67)
        if guid not in standard or length > MAX_TEXTS or offset > length:
            continue
        packet = packet or bytearray(b" " * length)
        packet[offset : offset + len(data) - 75] = data[75:]
    return bytes(packet)


def long_xmp(packet: bytes, guid: bytes) -> list[bytes]:
    """The APP1 bodies that hold a long packet in a JPEG; the short one must name `guid` (32 upper-case hex digits)."""
    step = 65400
    head = _EXTENDED + guid
    return [
        head + struct.pack(">II", len(packet), offset) + packet[offset : offset + step]
        for offset in range(0, len(packet), step)
    ]
