"""Text of a file, and places in it.

Every offset in promptc counts code points from 0 in the decoded text, without the byte order mark; every span is
half-open. Lines end with LF, CRLF or CR, and count from 1, as columns do.
"""

import bisect
import re
from dataclasses import dataclass as standard
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


class Position(NamedTuple):
    """A place for people: 1-based line and column, and the 0-based code-point offset."""

    line: int
    column: int
    offset: int


class FileSpan(Span):
    """A span in a file's offsets where others are a prompt's: a place outside of the prompt, as a declaration."""

    __slots__ = ()


@standard(frozen=True)
class Source:
    """A decoded file. `bom` remembers a byte order mark so that writing gives the same bytes back."""

    path: str
    text: str
    bom: bool = False

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def position(self, offset: int) -> Position:
        line = bisect.bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1, offset)

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its line end."""
        start = self._line_starts[number - 1]
        end = self._line_starts[number] if number < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def encode(self, text: str | None = None) -> bytes:
        """The bytes of the file, with `text` in place of its own where given."""
        body = self.text if text is None else text
        return (b"\xef\xbb\xbf" if self.bom else b"") + body.encode("utf-8")


class NotUtf8(Exception):
    """The bytes are no UTF-8; `offset` is the byte where decoding stopped."""

    def __init__(self, path: str, offset: int, reason: str) -> None:
        super().__init__(f"{path}: byte {offset}: {reason}")
        self.path, self.offset, self.reason = path, offset, reason


def decode(data: bytes, path: str) -> Source:
    """Decode a file's bytes. Raises NotUtf8."""
    bom = data.startswith(b"\xef\xbb\xbf")
    try:
        return Source(path, data[3 if bom else 0 :].decode("utf-8"), bom)
    except UnicodeDecodeError as error:
        encoding = {b"\xff\xfe": "UTF-16 LE", b"\xfe\xff": "UTF-16 BE"}.get(data[:2])
        reason = (
            f"the file looks like {encoding}"
            if encoding
            else f"0x{data[error.start + (3 if bom else 0)]:02x} is no UTF-8"
        )
        raise NotUtf8(path, error.start + (3 if bom else 0), reason) from None


class OffsetMap(Protocol):
    """Where the characters of an embedded text stand in its file."""

    def start(self, offset: int) -> int:
        """The file offset where the character at `offset` begins."""
        ...

    def end(self, offset: int) -> int:
        """The file offset where the character before `offset` ends."""
        ...

    def encode(self, text: str) -> str:
        """`text` as it must be spelt in the file (escaped inside a string literal, say)."""
        ...


@dataclass(frozen=True, slots=True)
class Shift:
    """The map of a text that stands in its file as it is."""

    base: int = 0

    def start(self, offset: int) -> int:
        return self.base + offset

    def end(self, offset: int) -> int:
        return self.base + offset

    def encode(self, text: str) -> str:
        return text


@dataclass(frozen=True, slots=True)
class Fragment:
    """One prompt inside a file: its text, and the way back to the file's offsets.

    `comments` says whether lines that begin with `#` are comments (`.prompt` files and triple-quoted strings).
    """

    origin: Source
    text: str
    offsets: OffsetMap = Shift()
    comments: bool = False

    def span(self, start: int, end: int) -> Span:
        """The span of `text[start:end]` in the file."""
        first = self.offsets.start(start)
        return Span(first, first if start == end else max(first, self.offsets.end(end)))
