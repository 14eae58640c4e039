"""The YAML front matter of a `.prompt` file, with the place of everything in it."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from promptc.diagnostic import Diagnostic, Fix
from promptc.pattern import pattern
from promptc.source import Fragment, OffsetMap, Shift, Source, Span
from promptc.suggest import nearest

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

KEYS = ("params", "model", "negative", "target", "description")
_OPEN = pattern(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = pattern(r"(?:^|(?<=[\r\n]))---[ \t]*(?:\r\n|\n|\r|$)")


class Scalar(NamedTuple):
    """A text of the front matter: its value as a fragment of the file, and its span there, quotes included."""

    fragment: Fragment
    span: Span

    @property
    def text(self) -> str:
        return self.fragment.text


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the front matter says. `body` is the offset at which the prompt begins.

    `params` is None where the key is absent, so that the placeholders declare themselves.
    """

    body: int
    params: tuple[tuple[Scalar, Scalar], ...] | None = None
    model: Scalar | None = None
    negative: Scalar | None = None
    target: Scalar | None = None
    problems: tuple[Diagnostic, ...] = ()


def split(source: Source) -> FrontMatter:
    """Read the front matter of a file. Never raises: a fault in it is a diagnostic, in the file's offsets."""
    opened = _OPEN.match(source.text)
    if opened is None:
        return FrontMatter(0)
    closed = _CLOSE.search(source.text, opened.end())
    if closed is None:
        found = _problem(
            Span(0, 3),
            "the front matter is not closed",
            "it opens here",
            help="close it with a line that holds --- only",
        )
        return FrontMatter(len(source.text), problems=(found,))
    return _read(source, opened.end(), closed.start(), closed.end())


def _problem(span: Span, message: str, label: str = "", *, help: str = "", fixes: tuple[Fix, ...] = ()) -> Diagnostic:
    return Diagnostic("E0951", "front-matter", "error", message, span, label, help=help, fixes=fixes)


def _read(source: Source, start: int, end: int, body: int) -> FrontMatter:
    import yaml  # only files with a front matter pay for it

    text = source.text[start:end]
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = start + (mark.index if mark else 0)
        reason = (error.problem or "it cannot be read").replace("%", "%%")
        found = _problem(Span(at, min(at + 1, end)), "the front matter is no YAML", f"{reason}")
        return FrontMatter(body, problems=(found,))
    except yaml.YAMLError:  # a character YAML does not allow carries no mark
        found = _problem(
            Span(start, end), "the front matter is no YAML", "it holds a character that YAML does not allow"
        )
        return FrontMatter(body, problems=(found,))
    if node is None:
        return FrontMatter(body)
    if not isinstance(node, yaml.MappingNode):
        span = Span(start + node.start_mark.index, start + node.end_mark.index)
        return FrontMatter(
            body,
            problems=(_problem(span, "the front matter is no mapping", help="write `params:`, `model:`, `negative:`"),),
        )
    problems: list[Diagnostic] = []
    scalars: dict[str, Scalar] = {}
    params: tuple[tuple[Scalar, Scalar], ...] | None = None
    for key, value in _unique(source, start, node, problems):
        if key.text not in KEYS:
            close = nearest(key.text, KEYS)
            way = f"did you mean `{close}`?" if close else f"known are {', '.join(KEYS)}"
            problems.append(_problem(key.span, f"unknown key `{key.text}`", help=way))
        elif key.text == "params":
            params = tuple(_params(source, start, value, problems))
        elif (scalar := _scalar(source, start, value)) is not None:
            scalars[key.text] = scalar
        else:
            problems.append(_problem(_span(start, value), f"`{key.text}` takes a text"))
    return FrontMatter(
        body, params, scalars.get("model"), scalars.get("negative"), scalars.get("target"), tuple(problems)
    )


def _params(source: Source, base: int, node: object, problems: list[Diagnostic]) -> Iterator[tuple[Scalar, Scalar]]:
    import yaml

    if not isinstance(node, yaml.MappingNode):
        if isinstance(node, yaml.ScalarNode) and not node.value:
            return  # `params:` with nothing below it: a prompt without placeholders
        problems.append(_problem(_span(base, node), "`params` is no mapping", help="write `name: type`, one a line"))
        return
    for key, value in _unique(source, base, node, problems):
        scalar = _scalar(source, base, value)
        if scalar is None:
            problems.append(
                _problem(
                    _span(base, value),
                    f"`{key.text}` has no type",
                    help="write a type in one text, as in `age: int[0..120]`",
                )
            )
        else:
            yield key, scalar


def _unique(source: Source, base: int, node: object, problems: list[Diagnostic]) -> Iterator[tuple[Scalar, object]]:
    """The pairs of a mapping whose keys are texts; a repeated key is a problem, not a silent overwrite."""
    import yaml

    assert isinstance(node, yaml.MappingNode)
    seen: set[str] = set()
    for key_node, value in node.value:
        key = _scalar(source, base, key_node)
        if key is None:
            problems.append(_problem(_span(base, key_node), "a key must be a text"))
        elif key.text in seen:
            problems.append(_problem(key.span, f"`{key.text}` stands twice"))
        else:
            seen.add(key.text)
            yield key, value


def _span(base: int, node: object) -> Span:
    import yaml

    assert isinstance(node, yaml.Node)
    return Span(base + node.start_mark.index, base + node.end_mark.index)


def _scalar(source: Source, base: int, node: object) -> Scalar | None:
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        return None
    span = _span(base, node)
    raw = source.text[span.start : span.end]
    value: str = node.value
    if raw == value:
        return Scalar(Fragment(source, value, Shift(span.start), comments=False), span)
    return Scalar(Fragment(source, value, _align(value, raw, span, node.style)), span)


@dataclass(frozen=True, slots=True)
class _Aligned:
    """Where each character of a quoted, folded or block scalar stands; `whole` where that is not known."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    style: str | None

    def start(self, offset: int) -> int:
        return self.starts[offset]

    def end(self, offset: int) -> int:
        return self.ends[offset]

    def encode(self, text: str) -> str:
        if self.style == "'":
            return text.replace("'", "''")
        if self.style == '"':
            return text.replace("\\", "\\\\").replace('"', '\\"')
        return text


_ESCAPE = pattern(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n[ \t]*|[\r\n][ \t]*|.)", re.DOTALL)
_FOLD = pattern(r"[ \t]*(?:\r\n|\r|\n)[ \t]*(?:(?:\r\n|\r|\n)[ \t]*)*")


def _align(value: str, raw: str, span: Span, style: str | None) -> OffsetMap:
    """Walk the scalar's spelling and its value together; a spelling that does not follow maps to the whole scalar."""
    starts: list[int] = []
    ends: list[int] = []
    at = 1 if style in ("'", '"') else 0
    if style in ("|", ">"):
        at = re.compile(r"[|>][^\r\n]*(?:\r\n|\r|\n)?").match(raw).end()  # type: ignore[union-attr]
    for index, char in enumerate(value):
        width = 1
        if style == '"' and (escape := _ESCAPE.match(raw, at)):
            while escape and escape.group()[1] in "\r\n":  # an escaped line end stands for nothing
                at = escape.end()
                escape = _ESCAPE.match(raw, at)
            width = escape.end() - at if escape else 1
        elif style == "'" and raw.startswith("''", at):
            width = 2
        elif raw[at : at + 1] != char or (char == " " and _FOLD.match(raw, at)):
            fold = _FOLD.match(raw, at)
            if fold and char in " \n":
                width = fold.end() - at
            elif style in ("|", ">") and raw[at : at + 1] in " \t" and (index == 0 or value[index - 1] == "\n"):
                at = re.compile(r"[ \t]*").match(raw, at).end()  # type: ignore[union-attr]
                if raw[at : at + 1] != char:
                    return _whole(value, span, style)
            else:
                return _whole(value, span, style)
        starts.append(span.start + at)
        at += width
        ends.append(span.start + at)
    return _Aligned((*starts, span.start + at), (starts[0] if starts else span.start + at, *ends), style)


def _whole(value: str, span: Span, style: str | None) -> OffsetMap:
    return _Aligned((span.start,) * (len(value) + 1), (span.end,) * (len(value) + 1), style)
