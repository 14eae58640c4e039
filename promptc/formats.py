"""File formats: what each can hold, and what is taken where a prompt says nothing. Data, `formats.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format's limits. `quality` and `effort` are the defaults, None for formats without such a setting."""

    name: str
    suffix: str
    max_side: int
    quality: int | None = None
    effort: int | None = None


@cache
def formats() -> Mapping[str, FileFormat]:
    """All formats by name."""
    import tomllib
    from importlib.resources import files

    rows = tomllib.loads((files("promptc_grammar") / "formats.toml").read_text("utf-8"))
    return {
        name: FileFormat(
            name,
            row["suffix"],
            row["max_side"],
            row.get("quality", {}).get("default"),
            row.get("method", {}).get("default"),
        )
        for name, row in rows.items()
    }
