"""The record of a picture: all that is needed to say what it is, and to make it again."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any

Value = str | int | float | bool
Choice = int | tuple[int, ...]
"""The alternative that was taken, counted from 0; several where several were picked."""

SCHEMA = 1
"""Version of the JSON layout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What made a picture. What is not known is None, and is then left out of every layout.

    `prompt` is resolved: no choices or placeholders are left. `template`, `values` and `choices` say how it came about.
    `seed` is the picture's own; `batch_index` its place in its batch. `plan` is the part of the plan that makes it,
    as JSON values; `quality` and `effort` are the encoder's, so that the file can be made again as well.
    """

    generator: str
    prompt: str
    seed: int
    width: int
    height: int
    negative: str = ""
    template: str | None = None
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    choices: tuple[Choice, ...] | None = None
    batch_index: int | None = None
    steps: int | None = None
    sampler: str | None = None
    guidance: float | None = None
    clip_skip: int | None = None
    model: str | None = None
    model_digest: str | None = None
    plan_id: str | None = None
    plan: Mapping[str, Any] | None = None
    quality: int | None = None
    effort: int | None = None
    notes: tuple[str, ...] = ()


class RecordError(ValueError):
    """JSON that is no record; the message says where."""


def dumps(record: Record) -> str:
    """The record as JSON on one line: sorted keys, no defaults, legal in XML and in every text chunk."""
    body = {item.name: value for item in fields(record) if not _is_default(item, value := getattr(record, item.name))}
    body["promptc"] = SCHEMA
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=dict)
    return _RARE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _is_default(item: Field[object], value: object) -> bool:
    """Whether the value is the one that a reader takes when it is left out."""
    default = item.default_factory() if item.default_factory is not MISSING else item.default
    return default is not MISSING and value == default


_RARE = re.compile("[\x7f-\x9f\ud800-\udfff\ufffe\uffff\u2028\u2029]")
"""Letters that JSON allows and XML, Latin-1 chunks or line readers do not."""


def loads(text: str) -> Record:
    """Read a record. Unknown keys are ignored, so that older versions read newer files. Raises RecordError."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"it is no JSON ({error})") from None
    if not isinstance(data, dict) or not isinstance(data.get("promptc"), int):
        raise RecordError("it has no promptc version")
    given: dict[str, Any] = {}
    for item in fields(Record):
        if item.name in data:
            value, check = data[item.name], _CHECKS[item.name]
            if not check(value):
                raise RecordError(f"its {item.name} is {json.dumps(value)[:60]}")
            given[item.name] = _frozen(value) if item.name in ("choices", "notes") else value
    missing = [name for name in ("generator", "prompt", "seed", "width", "height") if name not in given]
    if missing:
        raise RecordError(f"it lacks {', '.join(missing)}")
    return Record(**given)


def _integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _integers(value: object) -> bool:
    return isinstance(value, list) and all(map(_integer, value))


def _frozen(value: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(item) if isinstance(item, list) else item for item in value)


def _text(value: object) -> bool:
    return isinstance(value, str)


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "generator": _text,
    "prompt": _text,
    "negative": _text,
    "template": _text,
    "sampler": _text,
    "model": _text,
    "model_digest": _text,
    "plan_id": _text,
    "seed": _integer,
    "width": _integer,
    "height": _integer,
    "batch_index": _integer,
    "steps": _integer,
    "clip_skip": _integer,
    "quality": _integer,
    "effort": _integer,
    "guidance": lambda value: _integer(value) or isinstance(value, float),
    "values": lambda value: (
        isinstance(value, dict) and all(isinstance(item, str | int | float) for item in value.values())
    ),
    "choices": lambda value: isinstance(value, list) and all(_integer(item) or _integers(item) for item in value),
    "notes": lambda value: isinstance(value, list) and all(map(_text, value)),
    "plan": lambda value: isinstance(value, dict),
}
