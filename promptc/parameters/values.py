"""What a written value means, by its parameter's spec; everything wrong with it; and what its placeholders must be."""

import re
from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, NamedTuple, TypeAlias

from promptc.context import Place
from promptc.parameters.table import Spec
from promptc.parameters.written import Written
from promptc.pattern import pattern
from promptc.source import Span
from promptc.suggest import nearest
from promptc.tree import Choice, Parameter, Placeholder, Value
from promptc.types import Bool, Float, Image, Int, OneOf, Ratio, Str, Type, TypeProblem, accepts, parse_value, phrase


class Size(NamedTuple):
    """A size in pixels, or a ratio."""

    width: int
    height: int


class Unresolved(NamedTuple):
    """A value, or a part of one, that is known once `placeholders` are bound."""

    placeholders: tuple[Placeholder, ...]


class Reference(NamedTuple):
    """An image and its weight among the others."""

    image: "str | Unresolved"
    weight: "float | Unresolved"
    span: Span


class Call(NamedTuple):
    """`name(argument=value, …)`: only the arguments that are written."""

    name: str
    arguments: dict[str, Any]


Meant: TypeAlias = object
"""What a value means: by its spec's kind a number, text, Size, Call, tuple of References …, or Unresolved."""


class Problem(NamedTuple):
    """What is wrong with a value."""

    span: Span
    message: str
    label: str = ""
    help: str = ""
    replacement: str | None = None


class Given(NamedTuple):
    """One parameter of a prompt, read by its spec. `rest` is text that follows the value."""

    parameter: Parameter
    spec: Spec
    meant: Meant
    problems: tuple[Problem, ...]
    places: tuple[Place, ...]
    rest: Span | None


_WORD = pattern(r"\S+")
_QUOTED = pattern(r"\"[^\"]*\"\S*|\S+")
_LISTED = pattern(r"[^\s,]+(?:\s*,\s*[^\s,]+)*,?")
_ITEM = pattern(r"[^\s,]+")
_CALL = pattern(r"[\w-]+\s*(?:\([^()]*\)?)?")
_ARGUMENT = pattern(r"[^,]+")
_DECIMALS = pattern(r"(\d+\.?\d*|\.\d+):(\d+\.?\d*|\.\d+)", re.ASCII)
_SIDES = pattern(r"(\S+?)\s*[xX×*]\s*(\S+)")
_SIZE = pattern(r"\S+?\s*[xX×*]\s*\S+|\S+")
_SIDE = pattern(r"\d+", re.ASCII)


class _Reader:
    """The state of reading one value: problems and places as they are met."""

    def __init__(self, parameter: Parameter, spec: Spec) -> None:
        self.spec = spec
        self.name = f"--{spec.name}"
        self.written = Written(parameter.value, parameter.end)
        self.head = Span(parameter.dash.start, parameter.name.end)
        self.problems: list[Problem] = []
        self.places: list[Place] = []

    def problem(
        self, span: Span, message: str, label: str = "", help: str = "", replacement: str | None = None
    ) -> None:
        self.problems.append(Problem(span, message, label, help, replacement))

    def hole(self, node: Placeholder | Value, kind: Type, what: str) -> Meant:
        """What a placeholder alone in its place means: nothing yet, or its value if that has the type."""
        self.places.append(Place(node, kind, what))
        if isinstance(node, Placeholder):
            return Unresolved((node,))
        value = node.value
        if isinstance(value, str) and not isinstance(kind, Str | Image | Ratio | OneOf):
            found = parse_value(kind, value)
            value = value if isinstance(found, TypeProblem) else found
        if reason := accepts(kind, value):
            self.problem(Span(node.start, node.end), f"`{node.name}` cannot be {what}: {reason}")
        return fspath(value) if isinstance(value, PathLike) else value

    def value(self, spec: Spec, start: int, end: int, what: str) -> Meant:
        """One value of a plain type."""
        hole = self.written.whole(start, end)
        if hole is not None:
            value = self.hole(hole, spec.type, what)
            return self.ratio(spec, value, Span(hole.start, hole.end)) if isinstance(spec.type, Ratio) else value
        text, span = self.written.filled(start, end), self.written.span(start, end)
        waiting = self.partial(spec.type, start, end, what)
        if waiting is not None:
            return waiting
        if isinstance(spec.type, Ratio):
            return self.ratio(spec, text, span)
        if isinstance(spec.type, Str | Image):
            text = text.strip().removeprefix('"').removesuffix('"') if text.startswith('"') else text
        found = parse_value(spec.type, text)
        if not isinstance(found, TypeProblem):
            return found
        wanted = phrase(spec.type)
        close = found.replacement
        label = found.message if isinstance(spec.type, Int) and text.lstrip("-").isdigit() else ""
        way = f"did you mean `{close}`?" if close else spec.help and f"it is {spec.help}"
        if not isinstance(spec.type, OneOf) and not label:
            label = found.message
        if isinstance(spec.type, OneOf):
            label = "none of its values"
            way = way if close else f"it takes {_choices(spec.type)}"
            self.problem(span, f"{what} does not take `{text}`", label, way, close)
        else:
            self.problem(span, f"{what} takes {wanted}, not `{text}`", label, way)
        return None

    def partial(self, kind: Type, start: int, end: int, what: str) -> Unresolved | None:
        """Note the holes within a longer value; the value waits for those that are not bound yet."""
        part: Type = Int(1) if isinstance(kind, Ratio) else Str()
        inside = self.written.inside(start, end)
        for node in inside:
            self.places.append(Place(node, part, f"part of {what}"))
        waiting = tuple(node for node in inside if isinstance(node, Placeholder))
        return Unresolved(waiting) if waiting else None

    def ratio(self, spec: Spec, value: Meant, span: Span) -> Meant:
        if isinstance(value, Unresolved) or value is None:
            return value
        reason = accepts(Ratio(), value)
        if reason is not None:
            way, replacement = "", None
            if isinstance(value, str) and (match := _DECIMALS.fullmatch(value)):
                from fractions import Fraction

                if float(match[2]):
                    ratio = (Fraction(match[1]) / Fraction(match[2])).limit_denominator(100)
                    if ratio:
                        replacement = f"{ratio.numerator}:{ratio.denominator}"
                        way = f"did you mean `{replacement}`?"
            self.problem(
                span, f"{self.name} takes two whole numbers, as in 4:5", reason.partition(";")[0], way, replacement
            )
            return None
        sides = value.split(":") if isinstance(value, str) else value
        size = Size(*(int(side) for side in sides))  # type: ignore[attr-defined]
        if spec.limit is not None and max(size) > spec.limit * min(size):
            self.problem(span, f"{self.name} takes at most {spec.limit}:1 or 1:{spec.limit}", "too long and narrow")
            return None
        return size

    def size(self, start: int, end: int) -> Meant:
        written, spec = self.written, self.spec
        text = written.text[start:end]
        span = written.span(start, end)
        match = _SIDES.fullmatch(text)
        example = "write width x height in pixels, as in 512x640"
        if match is None:
            hole = written.whole(start, end)
            if hole is None:
                self.problem(span, f"{self.name} takes WIDTHxHEIGHT, not `{written.filled(start, end)}`", help=example)
                return None
            if isinstance(hole, Placeholder):
                self.places.append(Place(hole, Str(), f"the value of {self.name}"))
                return Unresolved((hole,))
            bound = re.fullmatch(r"(\d{1,6})[xX×*](\d{1,6})", hole.text, re.ASCII)
            if bound is None:
                self.problem(span, f"{self.name} takes WIDTHxHEIGHT, and `{hole.name}` is `{hole.text}`", help=example)
                return None
            return self.sides(Size(int(bound[1]), int(bound[2])), (span, span))
        sides: list[int] = []
        spans: list[Span] = []
        waiting: list[Placeholder] = []
        kind = Int(spec.low, spec.high)
        for group in (1, 2):
            first, last = start + match.start(group), start + match.end(group)
            spans.append(written.span(first, last))
            hole = written.whole(first, last)
            if hole is not None:
                value = self.hole(hole, kind, f"a side of {self.name}")
                if isinstance(hole, Placeholder):
                    waiting.append(hole)
                elif isinstance(value, int):
                    sides.append(value)
            elif _SIDE.fullmatch(written.text[first:last]):
                sides.append(int(written.text[first:last]))
            else:
                self.problem(span, f"{self.name} takes WIDTHxHEIGHT, not `{written.filled(start, end)}`", help=example)
                return None
        if waiting or len(sides) < 2:
            return Unresolved(tuple(waiting))
        return self.sides(Size(*sides), (spans[0], spans[1]))

    def sides(self, size: Size, spans: tuple[Span, Span]) -> Meant:
        spec = self.spec
        for word, value, span in zip(("width", "height"), size, spans, strict=True):
            if not spec.low <= value <= spec.high:
                bound = f"below {spec.low}" if value < spec.low else f"above {spec.high}"
                self.problem(
                    span, f"the {word} {value} is {bound}", f"{self.name} takes {spec.low} to {spec.high} pixels a side"
                )
                return None
            if value % spec.step:
                self.problem(
                    span,
                    f"the {word} {value} is no multiple of {spec.step}",
                    f"{value} = {value // spec.step} x {spec.step} + {value % spec.step}",
                    f"the nearest sizes are {nearest_sizes(size, spec.step)}",
                )
                return None
        return size

    def images(self, start: int, end: int) -> Meant:
        """Blank-separated references, each with `::weight` where wanted."""
        found: list[Reference] = []
        waiting: list[Placeholder] = []
        for match in _QUOTED.finditer(self.written.text, start, end):
            first, last = match.span()
            cut = self.written.text.rfind("::", first, last)
            weight: Meant = 1.0
            if cut > first:
                weight = self.value(_WEIGHT, cut + 2, last, f"the weight of {self.name}")
                last = cut
            span = self.written.span(first, last)
            hole = self.written.whole(first, last)
            image = (
                self.hole(hole, Image(), f"an image of {self.name}")
                if hole is not None
                else self.partial(Image(), first, last, f"an image of {self.name}")
                or self.written.filled(first, last).strip('"')
            )
            for each in (image, weight):
                if isinstance(each, Unresolved):
                    waiting.extend(each.placeholders)
            if isinstance(image, Unresolved) or image:
                found.append(Reference(image, weight, span))  # type: ignore[arg-type]
        return Unresolved(tuple(waiting)) if waiting else tuple(found)

    def call(self, start: int, end: int) -> Meant:
        written, spec = self.written, self.spec
        opened = written.text.find("(", start, end)
        stop = end if opened < 0 else opened
        name = written.text[start:stop].strip()
        span = written.span(start, start + len(name))
        if written.inside(start, stop):
            node = written.inside(start, stop)[0]
            self.places.append(Place(node, OneOf(tuple(spec.calls)), f"the value of {self.name}"))
            if isinstance(node, Placeholder):
                return Unresolved((node,))
            name = written.filled(start, stop).strip()
        calls = spec.calls
        if name not in calls:
            from promptc.plan.prints import prints  # ops of other packages: only a name that is not ours asks for them

            calls = {**prints(), **calls}
        if name not in calls:
            close = nearest(name, calls)
            way = f"did you mean `{close}`?" if close else f"it takes {', '.join(calls)}"
            self.problem(span, f"{self.name} knows no `{name}`", help=way, replacement=close)
            return None
        if opened < 0:
            return Call(name, {})
        if written.text[end - 1] != ")":
            self.problem(
                written.span(opened, opened + 1),
                f"the arguments of {name} are not closed",
                "opened here",
                "close them with )",
            )
            return None
        arguments, waiting = self.arguments(name, calls[name], opened + 1, end - 1)
        return Unresolved(tuple(waiting)) if waiting else Call(name, arguments)

    def arguments(
        self, call: str, specs: Mapping[str, Spec], start: int, end: int
    ) -> tuple[dict[str, Any], list[Placeholder]]:
        written = self.written
        arguments: dict[str, Any] = {}
        waiting: list[Placeholder] = []
        for match in _ARGUMENT.finditer(written.text, start, end):
            text = match.group()
            first = match.start() + len(text) - len(text.lstrip())
            last = match.end() - len(text) + len(text.rstrip())
            if first >= last:
                if written.text[start:end].strip():
                    self.problem(written.span(match.start(), match.end()), f"an argument of {call} is empty")
                continue
            equals = written.text.find("=", first, last)
            if equals < 0:
                self.problem(
                    written.span(first, last),
                    f"an argument of {call} is written name=value",
                    help=f"{call} takes {', '.join(specs)}",
                )
                continue
            key = written.text[first:equals].strip()
            place = written.span(first, first + len(key))
            spec = specs.get(key)
            if spec is None:
                close = nearest(key, specs)
                way = f"did you mean `{close}`?" if close else f"it takes {', '.join(specs)}"
                self.problem(place, f"{call} has no argument `{key}`", help=way, replacement=close)
                continue
            if key in arguments:
                self.problem(place, f"{call} is given `{key}` twice")
                continue
            value_at = equals + 1
            while value_at < last and written.text[value_at].isspace():
                value_at += 1
            if value_at == last:
                self.problem(
                    place, f"the argument `{key}` of {call} has no value", help=f"it takes {phrase(spec.type)}"
                )
                continue
            value = self.value(spec, value_at, last, f"`{key}` of {call}")
            if isinstance(value, Unresolved):
                waiting.extend(value.placeholders)
            arguments[key] = value
        return arguments, waiting

    def list(self, start: int, end: int) -> Meant:
        items = _ITEM.finditer(self.written.text, start, end)
        found = [self.value(self.spec, item.start(), item.end(), self.name) for item in items]
        waiting = [hole for each in found if isinstance(each, Unresolved) for hole in each.placeholders]
        return Unresolved(tuple(waiting)) if waiting else tuple(found)


_WEIGHT = Spec("weight", "value", Float(0.01, 100.0), "")
_SHAPES = {"images": _QUOTED, "call": _CALL}


def nearest_sizes(size: Size, step: int) -> str:
    """The next smaller and the next larger size whose sides are multiples of `step`."""
    smaller = "x".join(str(side - side % step) for side in size)
    larger = "x".join(str(side + -side % step) for side in size)
    return f"{smaller} and {larger}"


def read_value(parameter: Parameter, spec: Spec) -> Given:
    """Read the value of a parameter."""
    reader = _Reader(parameter, spec)
    written = reader.written
    start = len(written.text) - len(written.text.lstrip())
    end = len(written.text.rstrip())
    meant: Meant = None
    rest: Span | None = None
    if spec.kind != "text" and (choice := next((node for node in parameter.value if isinstance(node, Choice)), None)):
        span = Span(choice.start, choice.end)
        reader.problem(span, f"{reader.name} takes no choice", "nothing is picked here", "make it a placeholder")
        start = end
    elif spec.kind == "flag":
        meant = True
        match = _WORD.match(written.text, start, end)
        if match is not None:
            hole = written.whole(*match.span())
            if hole is not None:
                meant = reader.hole(hole, Bool(), f"the value of {reader.name}")
                start = match.end()
            elif match.group().lower() in ("true", "false"):
                meant = match.group().lower() == "true"
                start = match.end()
        rest = _rest(written, start, end)
    elif start >= end:
        if spec.kind != "text":
            wanted = {
                "value": phrase(spec.type),
                "size": "WIDTHxHEIGHT",
                "call": " or ".join(spec.calls),
                "images": "image",
            }
            reader.problem(
                reader.head, f"{reader.name} has no value", f"it takes {wanted[spec.kind]}", f"it is {spec.help}"
            )
        else:
            reader.problem(reader.head, f"{reader.name} has no value", "a text is missing", f"it is {spec.help}")
    elif spec.kind == "text":
        meant = reader.partial(Str(), start, end, f"the text of {reader.name}") or written.filled(start, end)
    elif spec.kind == "images":
        meant = reader.images(start, end)
    else:
        shape = _LISTED if spec.many else _CALL if spec.kind == "call" else _QUOTED
        match = (_SIZE if spec.kind == "size" else shape).match(written.text, start, end)
        if match is None:  # a call that begins with punctuation
            match = _WORD.match(written.text, start, end)
            assert match is not None
        first, last = match.span()
        if spec.kind == "call":
            last = first + len(match.group().rstrip())
            meant = reader.call(first, last)
        elif spec.many:
            meant = reader.list(first, last)
        elif spec.kind == "size":
            meant = reader.size(first, last)
        else:
            meant = reader.value(spec, first, last, reader.name)
        rest = _rest(written, last, end)
    return Given(parameter, spec, meant, tuple(reader.problems), tuple(reader.places), rest)


def _rest(written: Written, start: int, end: int) -> Span | None:
    while start < end and written.text[start].isspace():
        start += 1
    return written.span(start, end) if start < end else None


def _choices(kind: OneOf) -> str:
    shown = [str(value) for value in kind.values]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
