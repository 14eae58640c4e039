"""The `parameters` text that web UIs write and read.

    prompt, any number of lines
    Negative prompt: any number of lines
    Steps: 20, Sampler: Euler a, ..., Version: promptc 0.1.0

The settings are exactly one line, the last. A value that would break it is quoted as JSON. A prompt that readers would
cut elsewhere (one with a line that looks like settings, say) is written once more as a quoted setting, so that reading
gives back exactly what was written.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from promptc_runtime.metadata.record import Record

NEGATIVE = "Negative prompt:"
FEWEST = 3
"""A last line with fewer settings is prompt text."""

_SETTING = re.compile(r'\s*(\w[\w \-/]{0,60}):\s*("(?:\\.|[^\\"])*"|[^,]*)(?:,|$)')
_NEEDS_QUOTES = re.compile(r'[,:"\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]|^\s|\s$|^$')
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_EXTRA = re.compile(r"(Template|Negative Template):", re.IGNORECASE)

SAMPLERS = {
    "ddim": "DDIM",
    "dpmpp_2m": "DPM++ 2M",
    "dpmpp_2m_karras": "DPM++ 2M Karras",
    "euler": "Euler",
    "euler_a": "Euler a",
    "heun": "Heun",
    "lms": "LMS",
    "pndm": "PLMS",
    "unipc": "UniPC",
}
"""What web UIs call our samplers."""

Setting = str | int | float | None


@dataclass(frozen=True, slots=True)
class Parameters:
    """A text taken apart. `settings` are unquoted strings by their key, in the order of the text."""

    prompt: str
    negative: str
    settings: Mapping[str, str]


def write(prompt: str, negative: str, settings: Mapping[str, Setting]) -> str:
    """The text of a prompt and its settings; unknown ones (None, NaN) are left out.

    Raises ValueError for fewer than three known settings: readers would take them for text.
    """
    known = {key: spelled for key, value in settings.items() if (spelled := _spell(value)) is not None}
    if len(known) < FEWEST:
        raise ValueError(f"a settings line needs {FEWEST} settings, and has {len(known)}")
    text = _lay_out(prompt, negative, known)
    found = read(text)
    exact = {}
    if found.prompt != prompt:
        exact["Prompt"] = _quote(prompt)
    if found.negative != negative:
        exact["Negative prompt"] = _quote(negative)
    return _lay_out(prompt, negative, {**known, **exact}) if exact else text


def read(text: str) -> Parameters:
    """Take a text apart, ours or another tool's. Never raises; a text without settings is all prompt."""
    lines = text.strip().split("\n")
    settings: dict[str, str] = {}
    # Some tools add template lines after the settings; they belong to them.
    extra = len(lines)
    while extra > 1 and _EXTRA.match(lines[extra - 1]):
        extra -= 1
    for end in dict.fromkeys((len(lines), extra)):
        found = {match[1]: _unquote(match[2]) for match in _SETTING.finditer(lines[end - 1])}
        if len(found) >= FEWEST:
            settings = found
            for line in lines[end:]:
                key, _, value = line.partition(":")
                settings[key] = value.strip()
            lines = lines[: end - 1]
            break
    parts: tuple[list[str], list[str]] = ([], [])
    negative = False
    for line in lines:
        body = line.strip()
        if body.startswith(NEGATIVE):
            negative, body = True, body[len(NEGATIVE) :].strip()
        parts[negative].append(body)
    prompt, avoided = ("\n".join(part) for part in parts)
    return Parameters(settings.pop("Prompt", prompt), settings.pop("Negative prompt", avoided), settings)


def of_record(record: Record) -> str:
    """The text for a record, with the keys that other tools know first."""
    return write(
        record.prompt,
        record.negative,
        {
            "Steps": record.steps,
            "Sampler": SAMPLERS.get(record.sampler or "", record.sampler),
            "CFG scale": record.guidance,
            "Seed": record.seed,
            "Size": f"{record.width}x{record.height}",
            "Model hash": record.model_digest and record.model_digest[:10],
            "Model": record.model,
            "Clip skip": record.clip_skip,
            "Batch index": record.batch_index,
            "Template": record.template,
            "Values": json.dumps(dict(record.values), ensure_ascii=False, sort_keys=True) if record.values else None,
            "Choices": json.dumps(record.choices) if record.choices is not None else None,
            "Notes": "; ".join(record.notes) or None,
            "Plan": record.plan_id,
            "Version": record.generator,
        },
    )


def _lay_out(prompt: str, negative: str, settings: Mapping[str, str]) -> str:
    lines = [prompt, f"{NEGATIVE} {negative}"] if negative else [prompt]
    line = ", ".join(f"{key}: {value}" for key, value in settings.items())
    # No text chunk or XML holds control characters or half a surrogate pair; the quoted setting keeps them.
    return _UNSAFE.sub("\ufffd", "\n".join([*lines, line]))


def _spell(value: Setting) -> str | None:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, str):
        return _quote(value) if _NEEDS_QUOTES.search(value) else value
    return plain_number(value)


def plain_number(value: int | float) -> str:
    """A finite number without an exponent, as short as it can be: 7, 0.00001, -1.5."""
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    return format(Decimal(repr(value)), "f")


def _quote(value: str) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def _unquote(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            found = json.loads(value, strict=False)
        except ValueError:
            return value
        return found if isinstance(found, str) else value
    return value
