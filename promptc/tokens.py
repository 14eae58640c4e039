"""Exact token counts of CLIP's byte-pair encoding, without torch.

Equal to `CLIPTokenizer` of transformers on every text that both Unicode tables know: NFC, white space runs to one
blank, lower case character by character, split into words, then merges inside each word. A word's result is cached.
"""

import heapq
import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import category, combining, is_normalized, normalize

from promptc.package import package

END = "</w>"
_CLIP_MERGES = 49152 - 256 - 2
"""The published file lists more merges than CLIP was trained with."""
_CLIP_BYTES = 600_000
"""Enough of the unpacked file to hold those merges; the rest (2.6 MB) is never unpacked."""
_SPECIAL = r"<\|startoftext\|>|<\|endoftext\|>"
_WORD = r"'s|'t|'re|'ve|'m|'ll|'d|[a-z]+|[0-9]|[^ a-z0-9]+"
_SPLIT = re.compile(f"{_SPECIAL}|{_WORD}")
_AGAIN = re.compile(_WORD)
_SPACES = "\t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
BLANK = re.compile(f"[ {_SPACES}]+")
"""What stands between words and is in none; words on its two sides are split apart from one another."""
_CACHED_LENGTH = 64
"""Longer words (no word of a language) are not worth a place in the cache."""


class Token(NamedTuple):
    """One token, and the code points of the given text that it stands for, half-open.

    A character of several bytes may be spread over several tokens, which then share its span.
    """

    id: int
    start: int
    end: int


class NotClip(ValueError):
    """The file is no byte-pair tokenizer of CLIP's kind; the message names what differs."""


class Vocabulary:
    """Merges by rank, under the key `left right`; `start` and `end` are the ids around every text.

    `listed` are the ids as a file lists them; None where they follow from the merges, as in CLIP's own.
    """

    def __init__(
        self, name: str, ranks: dict[str, int], start: int, end: int, listed: dict[str, int] | None = None
    ) -> None:
        self.name, self.ranks, self.start, self.end, self.listed = name, ranks, start, end, listed

    @cached_property
    def ids(self) -> dict[str, int]:
        if self.listed is not None:
            return self.listed
        letters = list(_alphabet().values())
        found = [*letters, *(letter + END for letter in letters), *(pair.replace(" ", "") for pair in self.ranks)]
        return {piece: number for number, piece in enumerate(found)}

    @cached_property
    def word(self) -> Callable[[str], tuple[str, ...]]:
        """The pieces of one word, from a cache where it has been met."""
        cached = lru_cache(maxsize=1 << 16)(self._pieces)
        return lambda word: cached(word) if len(word) <= _CACHED_LENGTH else self._pieces(word)

    def _pieces(self, word: str) -> tuple[str, ...]:
        letters = _letters(word)
        return tuple(_merge([*letters[:-1], letters[-1] + END], self.ranks))


def count(text: str, vocabulary: Vocabulary | None = None) -> int:
    """How many tokens `text` takes, the two around it left out. O(n log n) at worst, O(n) for words of a language."""
    return sum(1 if special else len(_known(vocabulary).word(word)) for word, special in _words(text))


def encode(text: str, vocabulary: Vocabulary | None = None) -> list[Token]:
    """The tokens of `text` in order, the two around it left out."""
    known = _known(vocabulary)
    tokens: list[Token] = []
    for offset, piece, special in _chapters(text):
        if special:
            number = known.start if piece == "<|startoftext|>" else known.end
            tokens.append(Token(number, offset, offset + len(piece)))
        else:
            tokens.extend(_encode_chapter(piece, offset, known))
    return tokens


def words(text: str) -> list[str]:
    """The words of `text` as they are counted: made ready, without blanks. No word is split or joined by another."""
    return [word for word, _ in _words(text)]


def ceiling(text: str) -> int:
    """A number that `count(text)` cannot pass, without a look at the vocabulary: a token takes a byte or more."""
    if text.isascii():
        return len(text) - text.count(" ")
    return len(_normal(text).encode("utf-8", "surrogatepass"))


@cache
def clip() -> Vocabulary:
    """CLIP's own vocabulary of 49 408 entries (SD 1.x, SDXL, SD3, Flux)."""
    import zlib

    path = package("promptc_grammar") / "vocabulary" / "clip.txt.gz"
    text = zlib.decompressobj(wbits=31).decompress(path.read_bytes(), _CLIP_BYTES).decode("utf-8", "ignore")
    lines = text.split("\n", _CLIP_MERGES + 1)[1 : _CLIP_MERGES + 1]
    size = 512 + len(lines)
    return Vocabulary("clip", {line: rank for rank, line in enumerate(lines)}, start=size, end=size + 1)


@cache
def from_file(path: Path) -> Vocabulary:
    """The vocabulary of a `tokenizer.json` of CLIP's kind. Raises OSError, NotClip."""
    import json

    try:
        data = json.loads(path.read_bytes())
        model, ids = data["model"], data["model"]["vocab"]
        merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
        start, end = ids["<|startoftext|>"], ids["<|endoftext|>"]
        steps = data["normalizer"].get("normalizers", [data["normalizer"]])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotClip(f"{path}: no tokenizer of CLIP's kind: {error}") from None
    if model["type"] != "BPE" or model.get("end_of_word_suffix") != END:
        raise NotClip(f"{path}: no byte-pair tokenizer with '{END}' at the end of words")
    if [step["type"] for step in steps] != ["NFC", "Replace", "Lowercase"]:
        raise NotClip(f"{path}: text is not made ready as CLIP does it (NFC, blanks, lower case)")
    return Vocabulary(str(path), {pair: rank for rank, pair in enumerate(merges)}, start, end, ids)


def named(name: str) -> Vocabulary:
    """`clip`, or `package:path/in/it` of a `tokenizer.json`, found without an import of the package."""
    if name == "clip":
        return clip()
    where, _, path = name.partition(":")
    return from_file(package(where) / path)


def _known(vocabulary: Vocabulary | None) -> Vocabulary:
    return clip() if vocabulary is None else vocabulary


# Text -> words


def _chapters(text: str) -> Iterator[tuple[int, str, bool]]:
    """`text` cut at the special tokens that it spells out: (offset, text, is it one). They are found as written."""
    if "<|" not in text:
        yield 0, text, False
        return
    offset = 0
    for piece in re.split(f"({_SPECIAL})", text):
        yield offset, piece, re.fullmatch(_SPECIAL, piece) is not None
        offset += len(piece)


def _words(text: str) -> Iterator[tuple[str, bool]]:
    for _, piece, special in _chapters(text):
        if special:
            yield piece, True
        else:
            normal = _normal(piece)
            for start, end in _split(normal):
                yield normal[start:end], False


def _normal(text: str) -> str:
    """NFC, then lower case character by character: over a whole word, Python knows a final sigma and CLIP does not."""
    if text.isascii():
        return text.lower()
    return "".join(map(str.lower, normalize("NFC", text)))


def _split(normal: str) -> Iterator[tuple[int, int]]:
    """The spans of the words of a text made ready."""
    classes = normal.translate(_CLASSES)
    for match in _SPLIT.finditer(classes):
        if classes.startswith("<|", match.start()) and classes.endswith("text|>", match.start(), match.end()):
            yield from (again.span() for again in _AGAIN.finditer(classes, *match.span()))
        else:
            yield match.span()


class _Classes(dict[int, str]):
    """Each character as itself in ASCII, else as `a` (letter), `0` (number), ` ` or `!`, so that one small pattern
    splits every text. Filled as characters are met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = category(char)[0]
        if char in _SPACES:
            found = " "
        elif code < 128:
            found = char
        else:
            found = {"L": "a", "N": "0"}.get(kind, "!")
        self[code] = found
        return found


_CLASSES = _Classes()


# Words -> pieces


@cache
def _alphabet() -> dict[int, str]:
    """The character that stands for each byte, itself where it prints, in the order of the vocabulary."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {**{byte: chr(byte) for byte in plain}, **{byte: chr(0x100 + index) for index, byte in enumerate(rest)}}


def _letters(word: str) -> str:
    table = _alphabet()
    # A lone surrogate has no UTF-8; it can come from a command line, and costs three bytes as any of its size.
    return "".join(table[byte] for byte in word.encode("utf-8", "surrogatepass"))


def _merge(pieces: list[str], ranks: dict[str, int]) -> list[str]:
    """Join neighbours, the best pair first and the leftmost of equals, until no pair is in `ranks`.

    A heap of pairs over a linked list: a word of n letters takes O(n log n).
    """
    following = [*range(1, len(pieces)), -1]
    before = list(range(-1, len(pieces) - 1))
    queue = [
        (rank, left)
        for left in range(len(pieces) - 1)
        if (rank := ranks.get(f"{pieces[left]} {pieces[left + 1]}")) is not None
    ]
    heapq.heapify(queue)
    while queue:
        rank, left = heapq.heappop(queue)
        right = following[left]
        # A pair whose sides have changed since it was queued has another rank, or none.
        if right < 0 or not pieces[left] or ranks.get(f"{pieces[left]} {pieces[right]}") != rank:
            continue
        pieces[left] += pieces[right]
        pieces[right] = ""
        following[left] = following[right]
        if following[left] >= 0:
            before[following[left]] = left
        for first in (before[left], left):
            second = following[first] if first >= 0 else -1
            if second >= 0 and (found := ranks.get(f"{pieces[first]} {pieces[second]}")) is not None:
                heapq.heappush(queue, (found, first))
    return [piece for piece in pieces if piece]


# Spans


def _encode_chapter(text: str, offset: int, vocabulary: Vocabulary) -> Iterator[Token]:
    normal, places = _placed(text)
    for start, end in _split(normal):
        word = normal[start:end]
        # The source span of each byte of the word.
        spans = [places[start + index] for index, char in enumerate(word) for _ in range(_size(char))]
        at = 0
        for piece in vocabulary.word(word):
            size = len(piece) - (len(END) if at + len(piece) > len(spans) else 0)
            first, last = spans[at], spans[at + size - 1]
            yield Token(vocabulary.ids.get(piece, vocabulary.end), offset + first[0], offset + last[1])
            at += size


def _size(char: str) -> int:
    return len(char.encode("utf-8", "surrogatepass"))


def _placed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text made ready, and for each of its characters the span of `text` that it comes from."""
    if text.isascii():
        return text.lower(), [(index, index + 1) for index in range(len(text))]
    runs = [(index, index + 1) for index in range(len(text))] if is_normalized("NFC", text) else _runs(text)
    found: list[str] = []
    places: list[tuple[int, int]] = []
    for start, end in runs:
        lowered = "".join(map(str.lower, normalize("NFC", text[start:end])))
        found.append(lowered)
        places.extend([(start, end)] * len(lowered))
    return "".join(found), places


def _runs(text: str) -> list[tuple[int, int]]:
    """Spans that can be normalised one by one: a run begins where no composition reaches over."""
    starts = [index for index, char in enumerate(text) if index == 0 or _begins(char)]
    runs = list(zip(starts, [*starts[1:], len(text)], strict=True))
    if "".join(normalize("NFC", text[start:end]) for start, end in runs) == normalize("NFC", text):
        return runs
    return [(0, len(text))]


def _begins(char: str) -> bool:
    if char.isascii():
        return True
    late = 0x1160 <= ord(char) <= 0x11FF or 0x16D63 <= ord(char) <= 0x16D6A  # vowels and finals that join
    return not combining(char) and category(char)[0] != "M" and not late
