"""The table of a language's parameters: data, one TOML file a language, so a new parameter is a change of data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from promptc.tree import Parameter
from promptc.types import Image, Str, Type, TypeProblem, parse_type


@dataclass(frozen=True)
class Spec:
    """One parameter of a language. `kind` is the form of its value; `type` the type of each value that has one."""

    name: str
    kind: str
    type: Type
    help: str
    default: object = None
    many: bool = False
    repeats: bool = False
    aliases: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    needs: str | None = None
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    step: int = 1
    low: int = 1
    high: int = 1
    limit: int | None = None
    calls: "Mapping[str, Mapping[str, Spec]]" = field(default_factory=dict)


@cache
def table(language: str = "native") -> Mapping[str, Spec]:
    """The parameters of a language by name."""
    import tomllib  # only a prompt that has parameters pays for it

    from promptc.package import package

    text = (package("promptc_grammar") / "parameters" / f"{language}.toml").read_text("utf-8")
    return {name: _spec(name, row) for name, row in tomllib.loads(text).items()}


@cache
def names(language: str = "native") -> Mapping[str, str]:
    """Every spelling of a parameter, and its name."""
    return {spelling: spec.name for spec in table(language).values() for spelling in (spec.name, *spec.aliases)}


_FORMS: dict[str, Type] = {"text": Str(), "flag": Str(), "size": Str(), "images": Image(), "call": Str()}


def _spec(name: str, row: Mapping[str, Any]) -> Spec:
    kind = row["type"]
    form = kind if kind in _FORMS else "value"
    parsed = _FORMS.get(kind) or parse_type(kind)
    assert not isinstance(parsed, TypeProblem), (name, parsed)
    default = row.get("default")
    if row.get("many") and default is not None:
        default = (default,)
    plain = ("many", "repeats", "needs", "step", "low", "high", "limit")
    return Spec(
        name,
        form,
        parsed,
        row.get("help", ""),
        default,
        **{key: row[key] for key in plain if key in row},
        aliases=tuple(row.get("aliases", ())),
        excludes=tuple(row.get("excludes", ())),
        only={other: tuple(values) for other, values in row.get("only", {}).items()},
        calls={
            call: {key: _spec(key, argument) for key, argument in arguments.items()}
            for call, arguments in row.get("calls", {}).items()
        },
    )


def find(parameter: Parameter) -> Spec | None:
    """The spec that a parameter's name means."""
    name = names().get(parameter.name.text.lower())
    return None if name is None else table()[name]
