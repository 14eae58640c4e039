"""Wildcard files: `__colors/warm__` is one entry of `colors/warm.txt`, or of `warm` in `colors.yaml`.

A `.txt` file has an entry a line; lines that begin with `#` are comments. A `.yaml` file has lists of entries under
nested names, which follow the file's own name in the path; a first name equal to the file's is not repeated. `*`
stands for anything within one name of a path, `**` for any path. An entry is a prompt itself. A name is looked up
from the folder of the file that it stands in, then from the top.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from promptc.parse import parse
from promptc.source import Fragment, NotUtf8, Shift, Source, Span, decode
from promptc.suggest import nearest
from promptc.tree import Node, Root, Wildcard

MAX_DEPTH = 32
"""How many wildcards may stand inside one another."""

_SUFFIXES = (".txt", ".yaml", ".yml")
_LINE = re.compile(r"[^\r\n]+")
_MARKUP = re.compile(r"[\\()\[\]{}<>|_#:]|--|AND|BREAK")

Kind = Literal["unknown", "empty", "cycle", "deep", "unreadable", "entry"]


class WildcardError(ValueError):
    """A wildcard that gives nothing, and why. `span` is its place in `fragment`, or in the prompt where that is None."""

    def __init__(self, fault: "Fault") -> None:
        super().__init__(fault.message)
        self.fault = fault


class Fault(NamedTuple):
    """What is wrong with a wildcard.

    `span` is its place in the prompt. Where the mistake is in a wildcard file, `fragment` is the entry and `inner`
    the place in it. `suggestion` is a name that exists.
    """

    kind: Kind
    name: str
    message: str
    span: Span
    help: str = ""
    suggestion: str | None = None
    fragment: Fragment | None = None
    inner: Span | None = None


@dataclass(frozen=True)
class Entry:
    """One entry: a prompt, read when it is first needed. `home` is the folder that its own wildcards start from."""

    fragment: Fragment
    home: str

    @property
    def text(self) -> str:
        return self.fragment.text

    @cached_property
    def root(self) -> Root:
        return parse(self.fragment.text)

    @property
    def body(self) -> tuple[Node, ...]:
        """What stands in the place of the wildcard."""
        return self.root.branches[0].body if self.root.branches else ()

    @property
    def bare(self) -> bool:
        """Whether it is text and nothing else, so that it need not be parsed at all."""
        return _MARKUP.search(self.text) is None

    @property
    def plain(self) -> bool:
        """Whether nothing in it can be chosen; most entries are, and need not be parsed to be counted."""
        return "{" not in self.text and "__" not in self.text


@dataclass(frozen=True)
class Listing:
    """All entries of one name."""

    name: str
    source: Source
    entries: tuple[Entry, ...]


class Wildcards:
    """The wildcards of one or more folders; earlier folders win. Files are read when they are first asked for."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.folders = tuple(folders)
        self._files: dict[Path, dict[str, Listing]] = {}
        self._found: dict[tuple[str, str], tuple[Listing, ...]] = {}

    def find(self, name: str, home: str = "") -> tuple[Listing, ...]:
        """The listings that a name means, sorted by name; none where it is unknown. Raises OSError, NotUtf8, BadYaml."""
        key = (name, home)
        if key not in self._found:
            names = [f"{home}/{name}", name] if home else [name]
            self._found[key] = next((found for one in names if (found := self._look_up(one))), ())
        return self._found[key]

    @cached_property
    def names(self) -> list[str]:
        """Every name there is. A file that cannot be read has none."""
        found: set[str] = set()
        for folder in self.folders:
            for path in self._paths(folder):
                try:
                    found.update(self._file(folder, path))
                except (OSError, NotUtf8, BadYaml):
                    continue
        return sorted(found)

    def _look_up(self, name: str) -> tuple[Listing, ...]:
        parts = PurePosixPath(name).parts
        if not parts or any(part in ("..", "/", "\\") or "\0" in part for part in parts):
            return ()  # a name never leads out of its folder
        for folder in self.folders:
            if "*" in name or "?" in name:
                pattern = _pattern(name)
                found = {
                    one.name: one
                    for path in self._paths(folder)
                    for one in self._file(folder, path).values()
                    if pattern.fullmatch(one.name)
                }
                if found:
                    return tuple(found[key] for key in sorted(found))
            else:
                for length in range(len(parts), 0, -1):
                    stem = folder.joinpath(*parts[:length])
                    for suffix in _SUFFIXES:
                        path = stem.with_name(stem.name + suffix)
                        if path.is_file() and (one := self._file(folder, path).get("/".join(parts))):
                            return (one,)
        return ()

    @staticmethod
    def _paths(folder: Path) -> list[Path]:
        return sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file())

    def _file(self, folder: Path, path: Path) -> dict[str, Listing]:
        if path not in self._files:
            name = path.relative_to(folder).with_suffix("").as_posix()
            source = decode(path.read_bytes(), str(path))
            read = _read_text if path.suffix == ".txt" else _read_yaml
            self._files[path] = {one.name: one for one in read(name, source)}
        return self._files[path]

    # Faults

    def faults(self, root: Node) -> list[Fault]:
        """Everything wrong with the wildcards of a prompt and with those in their entries, one for each wildcard of it."""
        found = []
        for node in wildcards(root):
            fault = self._fault(node, "", {}, ())
            if fault is not None:
                found.append(fault._replace(span=Span(node.start, node.end)))
        return found

    def _fault(self, node: Wildcard, home: str, sound: dict[str, bool], above: tuple[str, ...]) -> Fault | None:
        name, span = node.name.text, Span(node.start, node.end)
        try:
            listings = self.find(name, home)
        except (OSError, NotUtf8, BadYaml) as error:
            return Fault("unreadable", name, f"the file of __{name}__ cannot be read: {error}", span)
        if not listings:
            close = self._nearest(name)
            return Fault("unknown", name, f"there is no wildcard `{name}`", span, self._way_out(name, close), close)
        if not any(one.entries for one in listings):
            path = listings[0].source.path
            return Fault("empty", name, f"the wildcard `{name}` has no entries", span, f"add a line to {path}")
        for listing in listings:
            fault = self._listing_fault(listing, sound, above)
            if fault is not None:
                return fault
        return None

    def _listing_fault(self, listing: Listing, sound: dict[str, bool], above: tuple[str, ...]) -> Fault | None:
        key = listing.source.path + "\0" + listing.name
        if key in sound:
            return None
        if key in above:
            names = [each.split("\0")[1] for each in (*above[above.index(key) :], key)]
            return Fault("cycle", listing.name, f"wildcards refer to one another: {' > '.join(names)}", Span(0, 0))
        if len(above) >= MAX_DEPTH:
            return Fault(
                "deep", listing.name, f"wildcards stand inside one another more than {MAX_DEPTH} deep", Span(0, 0)
            )
        for entry in listing.entries:
            if not entry.plain or "--" in entry.text or "AND" in entry.text:
                fault = self._entry_fault(entry, sound, (*above, key))
                if fault is not None:
                    return fault
        sound[key] = True
        return None

    def _entry_fault(self, entry: Entry, sound: dict[str, bool], above: tuple[str, ...]) -> Fault | None:
        root = entry.root
        if root.parameters or len(root.branches) > 1:
            if root.parameters:
                mark = root.parameters[0]
                what, place = f"--{mark.name.text}", Span(mark.start, mark.name.end)
            else:
                what, place = "AND", Span(root.branches[0].end, root.branches[1].start)
            message = f"an entry of a wildcard cannot hold `{what}`"
            way = "write it in the prompt itself"
            return Fault("entry", "", message, Span(0, 0), way, None, entry.fragment, place)
        for node in wildcards(root):
            fault = self._fault(node, entry.home, sound, above)
            if fault is not None:
                return (
                    fault
                    if fault.fragment
                    else fault._replace(fragment=entry.fragment, inner=Span(node.start, node.end))
                )
        return None

    def _nearest(self, name: str) -> str | None:
        longer = [each for each in self.names if each.endswith("/" + name)]
        return longer[0] if len(longer) == 1 else nearest(name, self.names)

    def _way_out(self, name: str, close: str | None) -> str:
        if close:
            return f"did you mean `__{close}__`?"
        inside = [each for each in self.names if each.startswith(name + "/")]
        if inside:
            return f"`{name}` holds other names; `__{name}/*__` takes any of them"
        if not self.folders:
            return f"put {name}.txt into a folder `wildcards` beside the prompt, or name a folder in [tool.promptc]"
        return f"add {name}.txt to {self.folders[0]}"


class BadYaml(ValueError):
    """A collection that is no YAML, or holds something else than lists of texts under names."""


def wildcards(root: Node) -> Iterator[Wildcard]:
    """All wildcards of a tree, in source order."""
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Wildcard):
            yield node
        else:
            pending.extend(reversed(getattr(node, "parts", ())))


def locate(folders: Sequence[Path] | None, beside: Path | None) -> Wildcards:
    """The wildcards of a project, or of a folder `wildcards` beside the prompt where the project names none."""
    if folders is None:
        folders = [beside / "wildcards"] if beside is not None and (beside / "wildcards").is_dir() else []
    return Wildcards(folders)


def _pattern(name: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*\*/?|\*|\?)", name)
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meant.get(piece, re.escape(piece)) for piece in pieces))


def _home(name: str) -> str:
    return name.rpartition("/")[0]


def _read_text(name: str, source: Source) -> Iterator[Listing]:
    entries = []
    for match in _LINE.finditer(source.text):
        text = match.group().strip()
        if text and not text.startswith("#"):
            start = match.start() + match.group().index(text)
            entries.append(Entry(Fragment(source, text, Shift(start)), _home(name)))
    yield Listing(name, source, tuple(entries))


def _read_yaml(name: str, source: Source) -> Iterator[Listing]:
    import yaml  # only a project with collections pays for it

    try:
        top = yaml.compose(source.text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise BadYaml(f"{source.path}: {error}".replace("\n", " ")) from None
    if top is None:
        return
    stem = name.rpartition("/")[2]
    if isinstance(top, yaml.MappingNode) and len(top.value) == 1 and top.value[0][0].value == stem:
        top = top.value[0][1]
    pending: list[tuple[str, Any]] = [(name, top)]
    while pending:
        path, node = pending.pop()
        if isinstance(node, yaml.MappingNode):
            pending.extend((f"{path}/{key.value}", value) for key, value in reversed(node.value))
            if len(pending) > 1_000_000:  # aliases inside aliases
                raise BadYaml(f"{source.path}: it holds too many names")
        elif isinstance(node, yaml.SequenceNode) and all(isinstance(each, yaml.ScalarNode) for each in node.value):
            yield Listing(path, source, tuple(_scalar(each, source, name) for each in node.value if each.value.strip()))
        elif isinstance(node, yaml.ScalarNode) and node.value.strip():
            yield Listing(path, source, (_scalar(node, source, name),))
        elif not isinstance(node, yaml.ScalarNode):
            line = node.start_mark.line + 1
            raise BadYaml(f"{source.path}:{line}: a wildcard is a list of texts")


def _scalar(node: Any, source: Source, name: str) -> Entry:
    text = node.value.strip()
    start = node.start_mark.index + (1 if node.style in ("'", '"') else 0)
    return Entry(Fragment(source, text, Shift(start)), _home(name))
