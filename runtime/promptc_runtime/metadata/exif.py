"""EXIF: the comment with the parameters, and tags that hold ASCII only.

A block is written by hand: four entries are less than a library, and the same bytes come out everywhere.
"""

import struct
import unicodedata
from dataclasses import dataclass

DESCRIPTION, MAKE, MODEL, SOFTWARE, EXIF_IFD, USER_COMMENT = 0x010E, 0x010F, 0x0110, 0x0131, 0x8769, 0x9286
_ASCII, _LONG, _UNDEFINED = 2, 4, 7
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8}
_CODES = {b"ASCII\0\0\0": "ascii", b"UNICODE\0": "utf-16", b"JIS\0\0\0\0\0": "iso2022_jp", b"\0" * 8: "utf-8"}


@dataclass(frozen=True, slots=True)
class Exif:
    """The texts of an EXIF block; empty where there is none."""

    description: str = ""
    software: str = ""
    comment: str = ""
    make: str = ""
    model: str = ""


def plain(text: str) -> str:
    """ASCII for tags that hold no more: accents are dropped, every other foreign letter becomes `?`."""
    letters = unicodedata.normalize("NFKD", text)
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(kept.encode("ascii", "replace").decode("ascii").replace("\0", " ").split())


def write(exif: Exif) -> bytes:
    """A little-endian TIFF structure, without the `Exif` header of JPEG; the comment is UTF-16 in the same order."""
    entries = [
        (DESCRIPTION, _ASCII, plain(exif.description).encode("ascii") + b"\0"),
        (SOFTWARE, _ASCII, plain(exif.software).encode("ascii") + b"\0"),
        (EXIF_IFD, _LONG, b"\0\0\0\0"),
    ]
    start = 8 + len(_ifd(entries, 8))
    entries[2] = (EXIF_IFD, _LONG, struct.pack("<I", start))
    comment = b"UNICODE\0" + exif.comment.encode("utf-16-le", "replace")
    return b"II*\0" + struct.pack("<I", 8) + _ifd(entries, 8) + _ifd([(USER_COMMENT, _UNDEFINED, comment)], start)


def _ifd(entries: list[tuple[int, int, bytes]], start: int) -> bytes:
    """One directory at offset `start`, with its long values right after it."""
    head = struct.pack("<H", len(entries))
    after = start + 2 + 12 * len(entries) + 4
    values = b""
    for tag, kind, value in entries:
        count = len(value) // _SIZES[kind]
        if len(value) <= 4:
            head += struct.pack("<HHI", tag, kind, count) + value.ljust(4, b"\0")
        else:
            head += struct.pack("<HHII", tag, kind, count, after + len(values))
            values += value + b"\0" * (len(value) % 2)
    return head + b"\0\0\0\0" + values


def read(block: bytes) -> Exif:
    """The texts of a block, ours or another program's, in either byte order. What is damaged is left out."""
    block = block.removeprefix(b"Exif\0\0")
    order = {b"II": "<", b"MM": ">"}.get(block[:2])
    if order is None or len(block) < 8:
        return Exif()
    tags = _entries(block, struct.unpack_from(order + "I", block, 4)[0], order)
    pointer = tags.get(EXIF_IFD, b"")
    if len(pointer) == 4:
        tags = _entries(block, struct.unpack(order + "I", pointer)[0], order) | tags
    description, software, make, model = (_lenient(tags.get(tag, b"")) for tag in (DESCRIPTION, SOFTWARE, MAKE, MODEL))
    return Exif(description, software, comment(tags.get(USER_COMMENT, b""), order), make, model)


def _entries(block: bytes, start: int, order: str) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    if start + 2 > len(block):
        return found
    (count,) = struct.unpack_from(order + "H", block, start)
    for place in range(start + 2, start + 2 + 12 * count, 12):
        if place + 12 > len(block):
            break
        tag, kind, length = struct.unpack_from(order + "HHI", block, place)
        size = _SIZES.get(kind, 0) * length
        offset = place + 8 if size <= 4 else struct.unpack_from(order + "I", block, place + 8)[0]
        if size and offset + size <= len(block):
            found[tag] = block[offset : offset + size]
    return found


def comment(value: bytes, order: str = "<") -> str:
    """The text of a UserComment: with its 8-byte code, or without one, as ASCII or UTF-8."""
    code, body = _CODES.get(value[:8]), value[8:]
    if code == "utf-16":
        return _utf16(body, order)
    if code is None:
        return _lenient(value)
    return body.decode(code, "replace").rstrip("\0 ") if code == "iso2022_jp" else _lenient(body)


def _utf16(body: bytes, order: str) -> str:
    """UTF-16 in the header's byte order, unless a mark or the text itself says otherwise."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace").rstrip("\0")
    body = body[: len(body) // 2 * 2]
    named, other = ("utf-16-le", "utf-16-be") if order == "<" else ("utf-16-be", "utf-16-le")
    texts = [body.decode(name, "replace").rstrip("\0") for name in (named, other)]
    # Blanks and line ends read in the wrong order are letters that nobody uses.
    swapped = [sum(text.count(letter) for letter in "\u2000\u0a00\u2c00\u3a00") for text in texts]
    natural = [sum(text.count(letter) for letter in " \n,:") for text in texts]
    return texts[1] if swapped[0] > natural[0] and natural[1] > swapped[1] else texts[0]


def _lenient(value: bytes) -> str:
    value = value.rstrip(b"\0 ")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
