"""File names that every system takes: `a-fox-study-1a2b3c4d.webp`."""

import re
import unicodedata

MAX_NAME = 120
"""Bytes of a whole name, with its suffix."""

_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})


def file_name(text: str, identity: str, suffix: str = "") -> str:
    """`text` as [a-z0-9-], cut to fit, then the first 8 hex digits of `identity`, then `suffix`.

    Words that a system reserves for devices get a prefix; a text of which nothing is left becomes `picture`.
    """
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    words = re.sub(r"[^a-z0-9]+", "-", letters).strip("-") or "picture"
    if words.split("-")[0] in _RESERVED:
        words = f"picture-{words}"
    end = f"-{identity[:8]}{suffix}"
    return words[: MAX_NAME - len(end)].rstrip("-") + end
