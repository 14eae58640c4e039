"""What mypy's cache depends on beside the checked sources: this plug-in, the compiler behind it, the prompt files."""

import hashlib
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import promptc
import promptc_grammar
import promptc_plugins

_QUOTED = re.compile(rb"""["']([^"'\r\n]{1,400})["']""")
_CALLED = re.compile(rb"""\bfile\(\s*[rRuU]?["']([^"'\r\n]{1,400})["']""")


def version() -> str:
    """The version of the plug-in. mypy discards its cache, and the daemon restarts, when it changes.

    Inside the daemon it covers the prompt files below the working folder too, because a running daemon asks about
    nothing else but Python sources.
    """
    return compiler() if "mypy.dmypy_server" not in sys.modules else f"{compiler()}+{prompts(Path.cwd())}"


@cache
def compiler() -> str:
    """A digest of the code that decides what the plug-in says."""
    digest = hashlib.blake2b(digest_size=8)
    for package in (promptc, promptc_grammar, promptc_plugins):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".lark", ".toml"):
                digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def prompts(folder: Path) -> str:
    """A digest of all `.prompt` files below a folder."""
    from promptc.project import discover

    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(discover([str(folder)])):
        if path.suffix == ".prompt":
            digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def dependencies(path: str) -> dict[str, Any] | None:
    """The prompt files that a module names, each with a digest of its content, or None where it is missing.

    mypy compares this with what its cache holds, for every module, so it is cheap and keeps no state.
    """
    try:
        data = Path(path).read_bytes()
    except OSError:
        return None
    if b".prompt" not in data and b"promptc" not in data:
        return None
    names = {name for name in _QUOTED.findall(data) if name.endswith(b".prompt")} | set(_CALLED.findall(data))
    found = {}
    for name in sorted(names):
        text = name.decode("utf-8", "replace").replace("\\\\", "\\")
        found[text] = _digest(Path(path).parent / text)
    return found or None


def _digest(path: Path) -> str | None:
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
    except (OSError, ValueError):
        return None
