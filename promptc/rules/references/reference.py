"""An image that cannot be used.

## What it does
Reports an image of `--init` or `--sref` (or the default of an image placeholder) that is not there, is a folder, has
the bytes of no picture, or is a link with a scheme that the project does not allow, or to an address of the local
network.

## Why is this bad
The run would stop when the image is read, or a shared prompt could make a server fetch what is not public.

## Example
```
a fox --sref paper.jpgg
a fox --sref file:///etc/passwd
```

## Use instead
```
a fox --sref paper.jpg
a fox --sref https://img.example/paper.jpg
```
"""

import re
from collections.abc import Iterator
from pathlib import Path

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.parameters import Given, Reference
from promptc.pattern import pattern
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.suggest import nearest
from promptc.tree import Parameter, Placeholder
from promptc.types import Image, parse_default

CODE, NAME, SEVERITY = "E1601", "reference", "error"
NODES = (Parameter, Placeholder)

_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]+):(?=//|[^\\/])")
_HOST = pattern(r"//(?:[^/@\s]*@)?(\[[^\]]*\]|[^/:?#\s]*)")
_MAGIC = pattern(
    rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|RIFF....WEBP|II\*\x00|MM\x00\*|II\+\x00|MM\x00\+|BM|....ftyp(?:avif|avis|heic|mif1|heix)",
    re.S,
)


def check(node: Parameter | Placeholder, facts: Facts) -> Iterator[Diagnostic]:
    if not facts.first(node):
        return
    if isinstance(node, Placeholder):
        yield from _defaults(facts)
        return
    for given in facts.parameters:
        if given.problems:
            continue
        if isinstance(given.meant, tuple):
            for one in given.meant:
                if isinstance(one, Reference) and isinstance(one.image, str):
                    yield from _image(one.image, one.span, facts)
        elif isinstance(given.spec.type, Image) and isinstance(given.meant, str):
            yield from _image(given.meant, _value(given, facts.text), facts)


def _value(given: Given, text: str) -> Span:
    """The place of a parameter's value, blanks left out."""
    parameter = given.parameter
    start, end = parameter.name.end, given.rest.start if given.rest is not None else parameter.end
    inside = text[start:end]
    return Span(start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip()))


def _defaults(facts: Facts) -> Iterator[Diagnostic]:
    for place in facts.places:
        hole = place.placeholder
        if isinstance(hole, Placeholder) and isinstance(place.type, Image) and hole.default is not None:
            value = parse_default(Image(), hole.default.text)
            if isinstance(value, str):
                yield from _image(value, Span(hole.default.start, hole.default.end), facts)


def _image(image: str, span: Span, facts: Facts) -> Iterator[Diagnostic]:
    scheme = _SCHEME.match(image)
    if scheme is not None:
        found = _link(image, scheme[1].lower(), facts.settings.schemes)
    else:
        found = None if facts.settings.root is None else _file(image, facts.settings.root)
    if found is not None:
        message, label, way, better = found
        fixes = (Fix(f"write `{better}`", (Edit(span, better),)),) if better else ()
        yield Diagnostic(CODE, NAME, "error", message, span, label, help=way, fixes=fixes)


def _link(image: str, scheme: str, allowed: tuple[str, ...]) -> tuple[str, str, str, str | None] | None:
    if scheme not in allowed:
        better = None
        if scheme == "http" and "https" in allowed:
            better = "https" + image[4:]
        way = (
            f"write `{better}`"
            if better
            else f"allowed are {', '.join(allowed) or 'files only'}; a file is named by its path"
        )
        return f"images are not read by `{scheme}`", "this scheme is not allowed", way, better
    host = _HOST.search(image)
    if host is None or not host[1]:
        return "this link names no host", "", "write it as in https://img.example/paper.jpg", None
    if _is_local(host[1].strip("[]")):
        return (
            f"`{host[1]}` is an address of the local network",
            "links lead to public addresses only",
            "save the image, and name the file",
            None,
        )
    return None


def _is_local(host: str) -> bool:
    if host.lower().rstrip(".") == "localhost" or host.lower().endswith((".localhost", ".local", ".internal")):
        return True
    if not re.fullmatch(r"[\d.]+|[\da-fA-F:.]+|0x[\da-fA-F]+", host):
        return False
    import ipaddress  # only a link to a bare address pays for it

    try:
        address = ipaddress.ip_address(int(host, 0) if re.fullmatch(r"\d+|0x[\da-fA-F]+", host) else host)
    except ValueError:
        return not re.search(r"[A-Za-z]", host)  # digits and dots that are no address are tricks
    return not address.is_global


def _file(image: str, root: Path) -> tuple[str, str, str, str | None] | None:
    path = root / Path(image).expanduser()
    try:
        if path.is_dir():
            return f"`{image}` is a folder", "an image is a file", "name the file in it", None
        with path.open("rb") as file:
            head = file.read(16)
    except FileNotFoundError:
        return _missing(image, path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name cannot be a file's"
        return f"the image `{image}` cannot be read", reason.lower(), "", None
    if _MAGIC.match(head) is None:
        what = "the file is empty" if not head else "its bytes are none of PNG, JPEG, WebP, TIFF, GIF, BMP or AVIF"
        return f"`{image}` is no picture", what, "save it in one of these formats", None
    return None


def _missing(image: str, path: Path) -> tuple[str, str, str, str | None]:
    message, label = f"there is no image `{image}`", "no such file"
    try:
        beside = [other.name for other in path.parent.iterdir()]
    except OSError:
        return message, label, f"there is no folder `{Path(image).parent}`", None
    close = nearest(path.name, beside)
    if close is None:
        return message, label, "paths are relative to the folder of the prompt's file", None
    better = (Path(image).parent / close).as_posix()
    return message, label, f"did you mean `{better}`?", better


_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
VALID = (
    Case("a fox --sref paper.png", files={"paper.png": _PNG}),
    Case("a fox --init sketch/a.png", files={"sketch/a.png": _PNG}),
    "a fox --sref https://img.example/a.png::2 https://img.example/b.png",
    "a fox --sref {paper}",
)
INVALID = (
    Case("a fox --sref ⟦papre.png⟧", files={"paper.png": _PNG}, fixed="a fox --sref paper.png"),
    Case("a fox --init ⟦gone.png⟧"),
    Case("a fox --sref a.png ⟦text.png⟧", files={"a.png": _PNG, "text.png": b"no picture"}),
    Case("a fox --init ⟦.⟧"),
    Case("a fox --sref ⟦file:///etc/passwd⟧"),
    Case("a fox --sref ⟦http://img.example/a.png⟧", fixed="a fox --sref https://img.example/a.png"),
    Case("a fox --sref ⟦https://169.254.169.254/x.png⟧"),
    Case("a fox --sref ⟦https://localhost/x.png⟧"),
    Case('a fox --init {sketch: image = ⟦"gone.png"⟧}'),
)
