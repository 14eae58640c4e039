"""Files with prompts in them: `.prompt`, `.txt` (a prompt a line) and Python sources."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from promptc.diagnostic import Diagnostic
from promptc.front_matter import FrontMatter, split
from promptc.pattern import pattern
from promptc.source import Fragment, NotUtf8, Shift, Source, Span, decode
from promptc.suppress import Suppression

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

if TYPE_CHECKING:
    from promptc.context import Context

Role = Literal["prompt", "negative", "line", "literal"]

_LINE = pattern(r"[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Unit:
    """One prompt of a file, and what it is checked against.

    `context` is None where the placeholders declare themselves. `shared` says that it is a class, which other code
    uses too: a field that the prompt leaves out is no fault.
    """

    fragment: Fragment
    role: Role
    context: "Context | None" = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A file and its prompts. `problems` are faults of the file around them, in the file's offsets."""

    source: Source
    units: tuple[Unit, ...]
    problems: tuple[Diagnostic, ...] = ()
    front: FrontMatter | None = None
    suppressions: tuple[Suppression, ...] = ()
    """Comments around the prompts (in a Python source), in the file's offsets."""

    @property
    def prompts(self) -> tuple[Unit, ...]:
        """The units that make pictures: all but the negatives."""
        return tuple(unit for unit in self.units if unit.role != "negative")


def read(path: Path) -> Document:
    """Read a file and find its prompts. Raises OSError; a file that is no UTF-8 is a diagnostic."""
    return load(path.read_bytes(), str(path), root=path.parent)


def load(data: bytes, path: str, *, root: Path | None = None) -> Document:
    """Find the prompts in a file's bytes. The suffix of `path` gives the kind; an unknown one is read as `.prompt`."""
    try:
        source = decode(data, path)
    except NotUtf8 as error:
        found = Diagnostic(
            "E0001",
            "not-utf8",
            "error",
            f"the file is no UTF-8: byte {error.offset} cannot be read",
            Span(0, 0),
            error.reason,
            help="save the file as UTF-8",
        )
        # The rest is shown as far as it can be, so that the excerpt has something to point at.
        return Document(Source(path, ""), (), (found,))
    reader = _READERS.get(Path(path).suffix, _read_prompt)
    return reader(source, root)


def _read_prompt(source: Source, root: Path | None) -> Document:
    front = split(source)
    text = source.text[front.body :]
    context, problems = _context(source, front)
    units = [Unit(Fragment(source, text, Shift(front.body), comments=True), "prompt", context)]
    if front.negative is not None:
        units.append(Unit(front.negative.fragment, "negative", context))
    return Document(source, tuple(units), (*front.problems, *problems), front)


def _context(source: Source, front: FrontMatter) -> "tuple[Context | None, tuple[Diagnostic, ...]]":
    if front.params is None:
        return None, ()
    from promptc.context import from_params

    context, problems = from_params(front.params, origin=source.path)
    return (context if front.negative is None else _extended(context, front.negative.text)), problems


def _extended(context: "Context", negative: str) -> "Context":
    """The context with what a negative prompt declares by itself: `negative: blurry, {artifact = "watermark"}`.

    It stands in the front matter too, so a placeholder with a default is declared there as well as under `params`.
    """
    if "{" not in negative:
        return context
    from promptc.context import infer
    from promptc.parse import parse

    own = (one for one in infer(parse(negative)).parameters if not one.required and context.find(one.name) is None)
    return replace(context, parameters=(*context.parameters, *own))


def _read_lines(source: Source, _root: Path | None) -> Document:
    units = [
        Unit(Fragment(source, match.group(), Shift(match.start())), "line")
        for match in _LINE.finditer(source.text)
        if match.group().strip() and not match.group().lstrip().startswith("#")
    ]
    return Document(source, tuple(units))


def _read_python(source: Source, root: Path | None) -> Document:
    if "promptc" not in source.text:
        return Document(source, ())  # the fast path: most files of a project hold no prompt
    from promptc_plugins.python_source import find

    found = find(source, root=root)
    units = tuple(Unit(one.fragment, "literal", one.context, one.kind == "template") for one in found.prompts)
    return Document(source, units, tuple(found.problems), suppressions=tuple(found.suppressions))


_READERS: dict[str, Callable[[Source, Path | None], Document]] = {
    ".prompt": _read_prompt,
    ".txt": _read_lines,
    ".py": _read_python,
    ".pyi": _read_python,
}
