"""The parameters that a prompt may use: declared around it, or by its own placeholders."""

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.kinds import Kinds, kinds
from promptc.pattern import pattern
from promptc.source import Fragment, Span
from promptc.tree import Argument, Branch, Emphasis, Network, Placeholder, Root, Schedule, Value
from promptc.types import (
    Float,
    Str,
    Type,
    TypeProblem,
    meet,
    parse_default,
    parse_type,
    type_of,
)

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

if TYPE_CHECKING:
    from promptc.parameters import Given as Read


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a context.

    `span` is its declaration, in the offsets of the prompt's file, or None where it is declared in another file or by
    the placeholder itself. `origin` says where, in words for people. `default` counts only where not `required`.
    A `type` of None is not known here: any value may be meant.
    """

    name: str
    type: Type | None
    default: object = None
    required: bool = True
    span: Span | None = None
    origin: str = ""


class _Indexed:
    __slots__ = ("_index",)
    _index: Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class Context(_Indexed):
    """Everything a prompt may use. Where `complete` is false, there may be more than is known here."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    complete: bool = True
    origin: str = ""

    def find(self, name: str) -> Parameter | None:
        """The parameter of this name; of several the first."""
        try:
            index = self._index
        except AttributeError:  # made once: a prompt may have as many placeholders as parameters
            index = {parameter.name: parameter for parameter in reversed(self.parameters)}
            object.__setattr__(self, "_index", index)
        return index.get(name)

    def names(self) -> list[str]:
        return [parameter.name for parameter in self.parameters]


class Place(NamedTuple):
    """Where a placeholder stands: the type that is wanted there, and what to call the place."""

    placeholder: Placeholder | Value
    type: Type
    what: str


TEXT, WEIGHT = Str(), Float()
SWITCH = Float(0.0)


def places(root: Root, known: Kinds | None = None, given: "Sequence[Read] | None" = None) -> list[Place]:
    """Every placeholder with its place, in source order. What is known of the tree need not be found again."""
    found = kinds(root) if known is None else known
    special: dict[int, tuple[Type, str]] = {}
    for node in (*found.get(Emphasis, ()), *found.get(Branch, ())):
        special[id(node.weight)] = (WEIGHT, "a weight")
    for node in found.get(Schedule, ()):
        special[id(node.when)] = (SWITCH, "a switch point")  # type: ignore[union-attr]
    for node in found.get(Argument, ()):
        special[id(node.value)] = (WEIGHT, "the weight of a network")  # type: ignore[union-attr]
    for node in found.get(Network, ()):
        for part in node.name:  # type: ignore[union-attr]
            special[id(part)] = (TEXT, "the name of a network")
    read = [place for one in _read(root, given) for place in one.places]
    taken = {id(place.placeholder) for place in read}
    read.extend(
        Place(hole, *special.get(id(hole), (TEXT, "text")))  # type: ignore[arg-type]
        for hole in found.get(Placeholder, ())
        if id(hole) not in taken
    )
    return sorted(read, key=lambda place: place.placeholder.start)


def _read(root: Root, given: "Sequence[Read] | None") -> "Sequence[Read]":
    if given is not None or not root.parameters:
        return given or ()
    from promptc.parameters import read  # brings the table in

    return read(root)


def infer(root: Root, name: str = "") -> Context:
    """The context that a prompt's placeholders declare: by type, by default, or by their place.

    Of placeholders that disagree the first counts; `check` reports the others.
    """
    uses: dict[str, list[Place]] = {}
    for place in places(root):
        if isinstance(place.placeholder, Placeholder) and name_problem(place.placeholder.name.text) is None:
            uses.setdefault(place.placeholder.name.text, []).append(place)
    return Context(name, tuple(_inferred(key, found) for key, found in uses.items()))


def _inferred(name: str, found: Sequence[Place]) -> Parameter:
    holes = [place.placeholder for place in found if isinstance(place.placeholder, Placeholder)]
    kind = next((each for hole in holes if (each := annotated(hole)) is not None), None)
    wanted = wanted_type(found)
    written = next((hole.default for hole in holes if hole.default is not None), None)
    if written is None:
        return Parameter(name, kind or wanted)
    default = parse_default(kind or (None if wanted == TEXT else wanted), written.text)
    if isinstance(default, TypeProblem):
        return Parameter(name, kind or wanted)
    if kind is None and wanted == TEXT:
        kind = type_of(default)
    return Parameter(name, kind or wanted, default, required=False)


def wanted_type(found: Sequence[Place]) -> Type:
    """The type of the values that fit all places; of places that disagree the first counts."""
    wanted = found[0].type
    for place in found[1:]:
        wanted = meet(wanted, place.type) or wanted
    return wanted


def annotated(hole: Placeholder) -> Type | None:
    """The type written in a placeholder, where one is and it is sound."""
    if hole.annotation is None:
        return None
    kind = parse_type(hole.annotation.text)
    return None if isinstance(kind, TypeProblem) else kind


def used(root: Root) -> set[str]:
    """The names of all placeholders."""
    return {place.placeholder.name.text for place in places(root) if isinstance(place.placeholder, Placeholder)}


class NameProblem(NamedTuple):
    """Why a name cannot be a parameter's: the code and name of the rule, a message, a label, a replacement."""

    code: str
    rule: str
    message: str
    label: str
    replacement: str | None


_SNAKE = pattern(r"[a-z][a-z0-9_]*", re.ASCII)


def name_problem(name: str) -> NameProblem | None:
    """What is wrong with a name, or None."""
    if _SNAKE.fullmatch(name):
        if name in _RESERVED:
            other = name + "_"
            label = "the Python call could not name it"
            return NameProblem("E0912", "reserved-name", f"`{name}` is reserved by Python", label, other)
        return None
    if name.startswith("_") and (plain := name.strip("_")) and _SNAKE.fullmatch(plain):
        label = "a name begins with a letter"
        other = plain if plain not in _RESERVED else plain + "_"
        return NameProblem("E0912", "reserved-name", f"`{name}` begins with an underscore", label, other)
    label = "a name has small letters a-z, digits and _, and begins with a letter"
    return NameProblem("E0911", "placeholder-name", f"`{name}` is no placeholder name", label, snake_case(name))


_RESERVED = frozenset(keyword.kwlist) | {"self", "cls"}


def snake_case(name: str) -> str | None:
    """The nearest name that is allowed, where the words of `name` make one."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    words = re.sub(r"[\s.\-]+", "_", words.strip()).strip("_").lower()
    words = re.sub(r"__+", "_", words)
    if not _SNAKE.fullmatch(words):
        return None
    return words + "_" if words in _RESERVED else words


class Declared(Protocol):
    """A text of a declaration: its value as a fragment of the file, and its span there."""

    @property
    def fragment(self) -> Fragment: ...
    @property
    def span(self) -> Span: ...


def from_params(
    params: Iterable[tuple[Declared, Declared]], *, origin: str = ""
) -> tuple[Context, tuple[Diagnostic, ...]]:
    """The context that `params` of a front matter declare, each `name: type` or `name: type = default`.

    A faulty declaration still declares its name. Diagnostics are in the file's offsets.
    """
    found: list[Parameter] = []
    problems: list[Diagnostic] = []
    for name, text in params:
        written = name.fragment.text
        if (bad := name_problem(written)) is not None:
            fixes = _fix(name.fragment, Span(0, len(written)), bad.replacement)
            way = f"write `{bad.replacement}`" if bad.replacement else ""
            problems.append(
                Diagnostic(bad.code, bad.rule, "error", bad.message, name.span, bad.label, help=way, fixes=fixes)
            )
        kind, default, wrong = read_declaration(text.fragment.text)
        for one in wrong:
            span = text.fragment.span(one.start, one.end) if one.end > one.start else text.span
            edit = _fix(text.fragment, Span(one.start, one.end), one.replacement)
            message = f"the declaration of `{written}` does not hold"
            problems.append(
                Diagnostic("E0933", "placeholder-type", "error", message, span, one.message, help=one.help, fixes=edit)
            )
        found.append(Parameter(written, kind, default[0] if default else None, not default, name.span, origin))
    return Context("params", tuple(found), origin=origin), tuple(problems)


def _fix(fragment: Fragment, span: Span, replacement: str | None) -> tuple[Fix, ...]:
    if replacement is None:
        return ()
    edit = Edit(fragment.span(*span), fragment.offsets.encode(replacement))
    return (Fix(f"write `{replacement}`", (edit,)),)


def read_declaration(text: str) -> tuple[Type, tuple[object, ...], list[TypeProblem]]:
    """Read `type` or `type = default`: the type, the default in a tuple that is empty without one, the problems."""
    cut = _equals(text)
    kind = parse_type(text if cut is None else text[:cut])
    problems = [kind] if isinstance(kind, TypeProblem) else []
    known = Str() if isinstance(kind, TypeProblem) else kind
    if cut is None:
        return known, (), problems
    start = cut + 1 + len(text[cut + 1 :]) - len(text[cut + 1 :].lstrip())
    default = parse_default(None if problems else known, text[start:].rstrip())
    if isinstance(default, TypeProblem):
        problems.append(default._replace(start=start + default.start, end=start + default.end))
        return known, (None,), problems
    return known, (default,), problems


_QUOTED = pattern(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|=', re.S)


def _equals(text: str) -> int | None:
    """The `=` before the default: the first outside of quotes."""
    return next((match.start() for match in _QUOTED.finditer(text) if match.group() == "="), None)
