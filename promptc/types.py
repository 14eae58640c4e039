"""The types of placeholders and parameters: what they are called, which values they take, how they compare."""

import re
from collections.abc import Callable, Sequence
from math import inf, isfinite, nextafter
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from promptc.pattern import pattern
from promptc.suggest import nearest

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

Scalar: TypeAlias = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Str:
    """Any text."""


@dataclass(frozen=True, slots=True)
class Int:
    """A whole number within inclusive limits."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Float:
    """A finite number within inclusive limits."""

    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Bool:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: a path or a URL."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Width to height, in whole numbers: `4:5`."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the values written out."""

    values: tuple[Scalar, ...]


Type: TypeAlias = Str | Int | Float | Bool | Image | Ratio | OneOf


class TypeProblem(NamedTuple):
    """What is wrong with a written type or value: a range in the text, a message, a way out, a replacement."""

    start: int
    end: int
    message: str
    help: str = ""
    replacement: str | None = None


NAMES = ("str", "int", "float", "bool", "image", "ratio")
_PLAIN: dict[str, Type] = {
    "str": Str(), "int": Int(), "float": Float(), "bool": Bool(), "image": Image(), "ratio": Ratio(),
    "Image": Image(), "Ratio": Ratio(),
}  # fmt: skip
_OTHER_TOOLS = {
    "string": "str", "text": "str", "integer": "int", "number": "float", "double": "float", "boolean": "bool",
    "picture": "image", "path": "image", "aspect": "ratio",
}  # fmt: skip
_MODULES = ("typing.", "typing_extensions.", "promptc.", "annotated_types.", "t.")
_TOKEN = pattern(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>[+-]?(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*(?:\.\w+)*)
      | (?P<mark>\.\.|[\[\]|,()=])
      | (?P<other>\S)
    )""",
    re.X,
)
_NUMBER = pattern(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_RATIO = pattern(r"([1-9]\d{0,5}):([1-9]\d{0,5})", re.ASCII)
_FORMAT = pattern(r"[<>=^]?[+ ]?#?\d*,?\.\d+[eEfFgG%]?|[<>=^]\d*|0?\d*[dnxXobeEfFgG%]", re.ASCII)
"""Format specifications of Python, as in `{score:.1f}`."""
_BOOLS = {"true": True, "false": False}


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class _Stop(Exception):
    def __init__(self, problem: TypeProblem) -> None:
        self.problem = problem


def parse_type(text: str) -> Type | TypeProblem:
    """Read a type: `float[0..2]`, `"calm" | "stormy"`, or a Python spelling of the same (`Literal["calm"]`)."""
    if _FORMAT.fullmatch(text.strip()):
        start = len(text) - len(text.lstrip())
        return TypeProblem(start, len(text.rstrip()), "a format is no type", "a value is inserted as it is written")
    reader = _Reader(text)
    try:
        found = reader.union()
        if (token := reader.peek()).kind != "end":
            raise reader.stop(token, "the type should end here", 'a type is str, int[0..120], "calm" | "stormy" …')
        return found
    except _Stop as stop:
        return stop.problem


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens: list[_Token] = []
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or "other"
            self._tokens.append(_Token(kind, match[kind], match.start(kind), match.end(kind)))
        end = len(text.rstrip())
        self._end = _Token("end", "", end, end)
        self._at = 0

    def peek(self) -> _Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else self._end

    def take(self, text: str | None = None) -> _Token:
        token = self.peek()
        if text is not None and token.text != text:
            raise self.stop(token, f"`{text}` is missing here")
        self._at += 1
        return token

    def stop(self, token: _Token, message: str, help: str = "", replacement: str | None = None) -> _Stop:
        return _Stop(TypeProblem(token.start, max(token.end, token.start), message, help, replacement))

    def union(self) -> Type:
        """Members with bars between: all literals make a set, `int | float` is `float`."""
        first = self.peek()
        members = [self._member()]
        while self.peek().text == "|" and self.peek().kind == "mark":
            self.take()
            members.append(self._member())
        literals = [value for member in members if isinstance(member, list) for value in member]
        types = [member for member in members if not isinstance(member, list)]
        if len(members) == 1 and first.kind == "number":
            way = f"a weight stands in round brackets, as in (fog:{first.text}); a default stands behind `=`"
            raise self.stop(first, "a number is no type", way)
        if not types:
            return OneOf(tuple(dict.fromkeys(literals)))
        if len(members) == 1:
            return types[0]
        if not literals and all(kind in (Int(), Float()) for kind in types):
            return Float()
        raise self.stop(first, "a placeholder has one type", "write one type, or a set of values in quotes")

    def _member(self) -> Type | list[Scalar]:
        token = self.take()
        if token.kind == "string":
            return [_unquote(token.text)]
        if token.kind == "number":
            return [_number(token.text)]
        if token.kind != "name":
            wanted = 'str, int, float, bool, image, ratio, a range as in int[0..120], or values as in "calm" | "stormy"'
            raise self.stop(
                token, "a type is missing" if token.kind == "end" else "this is no type", f"a type is {wanted}"
            )
        name = token.text
        for module in _MODULES:
            name = name.removeprefix(module)
        if name in ("True", "False"):
            return [name == "True"]
        if name == "Literal":
            return self._literal()
        if name == "Annotated":
            return self._annotated()
        if name in ("None", "Optional"):
            raise self.stop(token, "a placeholder always has a value", "give it a default in place of None")
        if name in _PLAIN:
            kind = _PLAIN[name]
            if self.peek().text == "[" and isinstance(kind, Int | Float):
                return self._range(kind)
            return kind
        close = _OTHER_TOOLS.get(name.lower()) or nearest(name, NAMES)
        if close:
            raise self.stop(token, f"there is no type `{name}`", f"did you mean `{close}`?", close)
        quoted = f'"{name}"'
        raise self.stop(
            token,
            f"there is no type `{name}`",
            f"known are {', '.join(NAMES)}; a fixed value stands in quotes: {quoted}",
        )

    def _range(self, kind: Int | Float) -> Type:
        opened = self.take("[")
        low = self._limit(kind)
        self.take("..")
        high = self._limit(kind)
        closed = self.take("]")
        if low is None and high is None:
            raise self.stop(
                opened, "the range has no limit", f"write {describe(kind)}[0..10], or {describe(kind)} alone"
            )
        if low is not None and high is not None and low > high:
            span = _Token("range", "", opened.start, closed.end)
            raise self.stop(
                span,
                "the range is empty",
                f"its lower limit stands first: [{_show(high)}..{_show(low)}]",
                f"[{_show(high)}..{_show(low)}]",
            )
        return _limited(kind, low, high)

    def _limit(self, kind: Int | Float) -> float | None:
        token = self.peek()
        if token.kind != "number":
            if token.text in ("..", "]"):
                return None
            raise self.stop(token, "a limit is a number", f"as in {describe(kind)}[0..10]")
        self.take()
        value = _number(token.text)
        if isinstance(kind, Int) and not isinstance(value, int):
            raise self.stop(token, "the limit of an int is a whole number")
        return value

    def _literal(self) -> list[Scalar]:
        self.take("[")
        values: list[Scalar] = []
        while True:
            token = self.take()
            if token.kind == "string":
                values.append(_unquote(token.text))
            elif token.kind == "number":
                values.append(_number(token.text))
            elif token.text in ("True", "False"):
                values.append(token.text == "True")
            else:
                raise self.stop(
                    token,
                    "a value is missing" if token.text in ("]", "") else "this is no value",
                    'values are texts in quotes or numbers: Literal["calm", "stormy"]',
                )
            if self.peek().text != ",":
                break
            self.take()
            if self.peek().text == "]":
                break
        self.take("]")
        return values

    def _annotated(self) -> Type | list[Scalar]:
        """`Annotated[int, Ge(0), Le(120)]`, with `Gt`, `Lt`, `Interval` and pydantic's `Field` too."""
        self.take("[")
        token = self.peek()
        kind = self.union()
        limits: dict[str, float] = {}
        while self.peek().text == ",":
            self.take()
            if self.peek().kind == "name":
                limits |= self._constraint()
        self.take("]")
        if isinstance(kind, Int | Float) and limits:
            step = 1 if isinstance(kind, Int) else 0
            low, high = limits.get("ge"), limits.get("le")
            if "gt" in limits:
                low = limits["gt"] + 1 if step else nextafter(limits["gt"], inf)
            if "lt" in limits:
                high = limits["lt"] - 1 if step else nextafter(limits["lt"], -inf)
            return _limited(kind, low, high)
        if limits:
            raise self.stop(token, f"{describe(kind)} takes no limits")
        return list(kind.values) if isinstance(kind, OneOf) else kind

    def _constraint(self) -> dict[str, float]:
        name = self.take().text.rpartition(".")[2].lower()
        limits: dict[str, float] = {}
        if self.peek().text != "(":
            return limits
        depth, key = 0, name if name in ("ge", "gt", "le", "lt") else ""
        while True:
            token = self.take()
            if token.kind == "end":
                raise self.stop(token, "`)` is missing here")
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0:
                return limits
            if token.kind == "name" and depth == 1:
                key = token.text
            elif token.kind == "number" and depth == 1 and key in ("ge", "gt", "le", "lt"):
                limits[key] = _number(token.text)


def _limited(kind: Int | Float, low: float | None, high: float | None) -> Int | Float:
    if isinstance(kind, Int):
        return Int(None if low is None else int(low), None if high is None else int(high))
    return Float(None if low is None else float(low), None if high is None else float(high))


def _unquote(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.S)


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def describe(kind: Type) -> str:
    """The type as it is written in a prompt."""
    match kind:
        case OneOf(values):
            return " | ".join(show_value(value) for value in values)
        case Int(low, high) | Float(low, high) if low is not None or high is not None:
            name = "int" if isinstance(kind, Int) else "float"
            return f"{name}[{_show(low)}..{_show(high)}]"
        case _:
            return type(kind).__name__.lower()


def phrase(kind: Type) -> str:
    """What a place of this type takes, in words: `a whole number from 0 to 120`."""
    match kind:
        case Int(low, high) | Float(low, high):
            name = "a whole number" if isinstance(kind, Int) else "a number"
            if low is not None and high is not None:
                return f"{name} from {_show(low)} to {_show(high)}"
            if low is not None:
                return f"{name} from {_show(low)} on"
            return name if high is None else f"{name} up to {_show(high)}"
        case OneOf(values):
            return _list(values)
        case Str():
            return "a text"
        case Bool():
            return "true or false"
        case Ratio():
            return "a ratio, as in 4:5"
        case Image():
            return "an image"


def show_value(value: object) -> str:
    """A value as it is written in a prompt's default."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bool):
        return str(value).lower()
    return _show(value) if isinstance(value, int | float) else str(value)


def _show(value: float | None) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:g}"


def accepts(kind: Type, value: object) -> str | None:
    """None if `value` may stand for a placeholder of type `kind`, else the reason why not."""
    if (reason := _unwritable(value)) is not None:
        return reason
    match kind:
        case Str():
            return None if isinstance(value, str) else _refuse(value, "a text is wanted")
        case Int(low, high):
            if isinstance(value, bool) or not isinstance(value, int):
                return _refuse(value, "a whole number is wanted")
            return _within(value, low, high)
        case Float(low, high):
            if isinstance(value, bool) or not isinstance(value, int | float):
                return _refuse(value, "a number is wanted")
            if not isfinite(value):
                return f"{value} is no finite number"
            return _within(value, low, high)
        case Bool():
            return None if isinstance(value, bool) else _refuse(value, "true or false is wanted")
        case Image():
            if not isinstance(value, str | PathLike):
                return _refuse(value, "a path or a URL is wanted")
            return None if str(value).strip() else "an empty text names no image"
        case Ratio():
            if _is_ratio(value):
                return None
            return f"{show_value(value)} is no ratio; a ratio is two whole numbers, as in 4:5"
        case OneOf(values):
            if any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in values):
                return None
            close = (
                nearest(value, [each for each in values if isinstance(each, str)]) if isinstance(value, str) else None
            )
            hint = f"; did you mean {show_value(close)}?" if close else ""
            return f"{show_value(value)} is none of {_list(values)}{hint}"


def _unwritable(value: object) -> str | None:
    """Why no text can hold a value, whatever its type."""
    if isinstance(value, str) and not value.isascii():
        half = next((char for char in value if "\ud800" <= char <= "\udfff"), None)
        return None if half is None else f"U+{ord(half):04X} in it is half a character, which no file can hold"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return "the number is too large"
    return None


_BITS = 1023
"""Whole numbers of more bits are no finite float."""


def _refuse(value: object, wanted: str) -> str:
    said = show_value(value) if isinstance(value, str | int | float) else f"a value of type {type(value).__name__}"
    return f"{wanted}, not {said}"


def _within(value: float, low: float | None, high: float | None) -> str | None:
    if low is not None and value < low:
        return f"{_show(value)} is below {_show(low)}"
    if high is not None and value > high:
        return f"{_show(value)} is above {_show(high)}"
    return None


def _is_ratio(value: object) -> bool:
    if isinstance(value, str):
        return _RATIO.fullmatch(value) is not None
    return (
        isinstance(value, Sequence)
        and len(value) == 2
        and all(isinstance(side, int) and not isinstance(side, bool) and side > 0 for side in value)
    )


def _list(values: Sequence[Scalar]) -> str:
    shown = [show_value(value) for value in values]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def parse_value(kind: Type, text: str) -> Scalar | TypeProblem:
    """The value that unquoted text (of a command line, of a parameter) means under a type."""
    whole = TypeProblem(0, len(text), "")
    value: Scalar | None = None
    match kind:
        case Str() | Image() | Ratio():
            value = text if isinstance(kind, Str) else text.strip()
        case Int() | Float():
            stripped = text.strip()
            if _NUMBER.fullmatch(stripped):
                value = _number(stripped)
        case Bool():
            value = _BOOLS.get(text.strip().lower())
        case OneOf(values):
            for each in values:
                if text == each or (not isinstance(each, str) and text.strip() == show_value(each)):
                    return each
            value = text
    reason = accepts(kind, text if value is None else value)
    if reason is None and value is not None:
        return value
    close = None
    if isinstance(kind, OneOf):
        close = nearest(text, [each for each in kind.values if isinstance(each, str)])
    return whole._replace(message=reason or "", replacement=close)


def parse_default(kind: Type | None, text: str) -> Scalar | TypeProblem:
    """The value of a written default: in quotes a text, else a number, `true`, `false` or a bare text.

    Without a type, the value says by itself what it is.
    """
    if not text:
        return TypeProblem(0, 0, "the default is missing", 'an empty text is written ""')
    match = _TOKEN.fullmatch(text)
    if match is not None and match.lastgroup == "string":
        quoted = _unquote(match["string"])
        if kind is None or isinstance(kind, Str | Image | Ratio):
            value: Scalar = quoted
        elif isinstance(kind, OneOf):
            value = quoted
        else:
            return TypeProblem(
                0,
                len(text),
                accepts(kind, quoted) or "",
                f"write {quoted} without quotes",
                quoted if not isinstance(parse_value(kind, quoted), TypeProblem) else None,
            )
        reason = None if kind is None else accepts(kind, value)
        if reason is None:
            return value
        close = (
            nearest(quoted, [each for each in kind.values if isinstance(each, str)])
            if isinstance(kind, OneOf)
            else None
        )
        return TypeProblem(0, len(text), reason, replacement=None if close is None else show_value(close))
    if text[0] in "\"'":
        return TypeProblem(0, 1, "the quote is not closed", "close it at the end of the default")
    if kind is not None:
        found = parse_value(kind, text)
        if isinstance(found, TypeProblem) and found.replacement is not None:
            return found._replace(replacement=show_value(found.replacement))
        return found
    if _NUMBER.fullmatch(text):
        return _number(text)
    return _BOOLS.get(text, text)


def type_of(value: object) -> Type:
    """The type of a default that stands without one."""
    if isinstance(value, bool):
        return Bool()
    return Int() if isinstance(value, int) else Float() if isinstance(value, float) else Str()


def disagreement(given: Type, wanted: Type) -> str | None:
    """Why values of type `given` cannot all stand where `wanted` is, or None if they can.

    A type without limits is let through where limits are wanted: its values are checked when they are known.
    """
    if isinstance(given, OneOf):
        if isinstance(wanted, Str):
            return None
        return next((reason for value in given.values if (reason := accepts(wanted, value))), None)
    match wanted:
        case Str():
            return "an image cannot stand in text" if isinstance(given, Image) else None
        case Int(low, high) | Float(low, high):
            if not isinstance(given, Int if isinstance(wanted, Int) else Int | Float):
                return f"{describe(given)} is no {'int' if isinstance(wanted, Int) else 'float'}"
            for limit in (given.low, given.high):
                if limit is not None and (reason := _within(limit, low, high)):
                    return reason
            return None
        case Image() | Ratio():
            # A text may hold a path or a ratio; which, is known when it is bound.
            if isinstance(given, Str | type(wanted)):
                return None
            return f"{describe(given)} is no {describe(wanted)}"
        case OneOf():
            return None if isinstance(given, Str) else f"{describe(given)} is none of {_list(wanted.values)}"
        case Bool():
            return None if isinstance(given, Bool) else f"{describe(given)} is no bool"


def meet(one: Type, other: Type) -> Type | None:
    """The type of the values that may stand in both places, or None if there are none. Any type but an image is text."""
    if isinstance(other, Str) or (isinstance(one, OneOf) and not isinstance(other, Str)):
        one, other = other, one
    match one, other:
        case Str(), _:
            return None if isinstance(other, Image) else other
        case _, OneOf(values):
            kept = tuple(value for value in values if accepts(one, value) is None)
            return OneOf(kept) if kept else None
        case (Int(), Int()) | (Int(), Float()) | (Float(), Int()) | (Float(), Float()):
            low = _pick(max, one.low, other.low)  # type: ignore[union-attr]
            high = _pick(min, one.high, other.high)  # type: ignore[union-attr]
            if low is not None and high is not None and low > high:
                return None
            return _limited(Int() if Int in (type(one), type(other)) else Float(), low, high)
        case _:
            return one if one == other else None


def _pick(choose: Callable[[float, float], float], one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else choose(one, other)
