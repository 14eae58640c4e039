"""A placeholder whose type does not fit: its place, its declaration or its default.

## What it does
Reports a type that cannot be read, a default outside of its own type, a placeholder that stands where its type does
not fit (a text as a weight), two uses of one placeholder whose places want different types, and a placeholder that is
given two types.

The place gives the type where none is written: a weight is `float`, `--seed` is `int`, `--ar` is a ratio, `--sref` an
image, and text is `str`.

## Why is this bad
There would be no value that fits, or only some would, and the mistake would be found when the prompt is used.

## Example
```
(fog:{strength: str}), a {mood: "calm" | "stormy" = "clam"} sky
```

## Use instead
```
(fog:{strength: float}), a {mood: "calm" | "stormy" = "calm"} sky
```
"""

from collections.abc import Iterator, Sequence

from promptc.context import Parameter, Place, name_problem, wanted_type
from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.rules import Case
from promptc.rules.dialects.foreign_syntax import is_variable
from promptc.rules.facts import Facts
from promptc.source import FileSpan, Span
from promptc.tree import Placeholder
from promptc.types import (
    Ratio,
    Str,
    Type,
    TypeProblem,
    accepts,
    describe,
    disagreement,
    meet,
    parse_default,
    parse_type,
    phrase,
)

CODE, NAME, SEVERITY = "E0933", "placeholder-type", "error"
NODES = (Placeholder,)


def check(node: Placeholder, facts: Facts) -> Iterator[Diagnostic]:
    if not facts.first(node):
        return
    uses: dict[str, list[Place]] = {}
    for place in facts.places:
        hole = place.placeholder
        if (
            isinstance(hole, Placeholder)
            and name_problem(hole.name.text) is None
            and not is_variable(facts.text, hole.start)
        ):
            uses.setdefault(hole.name.text, []).append(place)
    for name, places in uses.items():
        declared = facts.context.find(name) if facts.context is not None else None
        yield from _uses(name, places, declared)


def _uses(name: str, places: Sequence[Place], declared: Parameter | None) -> Iterator[Diagnostic]:
    """The mistakes in one placeholder's uses. After a type that cannot be read, only the other types are looked at."""
    kind: Type | None = declared.type if declared is not None else None
    said = f"declared as {describe(kind)}" if kind is not None else ""
    at: Span | None = FileSpan(*declared.span) if declared is not None and declared.span is not None else None
    sound = True
    for place in places:
        hole = place.placeholder
        assert isinstance(hole, Placeholder)
        if hole.annotation is not None:
            written = parse_type(hole.annotation.text)
            if isinstance(written, TypeProblem):
                yield _bad_type(hole, written)
                sound = False
                continue
            if kind is None:
                kind, said = written, f"declared as {describe(written)}"
                at = Span(hole.annotation.start, hole.annotation.end)
            elif kind != written:
                yield _two_types(name, hole, written, kind, at)
                sound = False
    if sound and kind is not None:
        for place in places:
            if reason := disagreement(kind, place.type):
                yield _misplaced(name, place, said, at, reason)
                sound = False
    elif sound:
        sound = False
        for found in _places(name, places):
            yield found
            break
        else:
            sound = True
    if sound:
        yield from _defaults(name, places, kind, declared)


def _bad_type(hole: Placeholder, problem: TypeProblem) -> Diagnostic:
    annotation = hole.annotation
    assert annotation is not None
    span = Span(annotation.start + problem.start, annotation.start + problem.end)
    fixes = (Fix(f"write `{problem.replacement}`", (Edit(span, problem.replacement),)),) if problem.replacement else ()
    message = f"the type of `{hole.name.text}` cannot be read"
    return Diagnostic(CODE, NAME, "error", message, span, problem.message, help=problem.help, fixes=fixes)


def _two_types(name: str, hole: Placeholder, written: Type, kind: Type, at: Span | None) -> Diagnostic:
    annotation = hole.annotation
    assert annotation is not None
    span = Span(annotation.start, annotation.end)
    labels = (Label(at, f"{describe(kind)} here"),) if at is not None else ()
    message = f"`{name}` has two types"
    return Diagnostic(
        CODE, NAME, "error", message, span, f"{describe(written)} here", labels, help="write the type once"
    )


def _misplaced(name: str, place: Place, said: str, at: Span | None, reason: str) -> Diagnostic:
    hole = place.placeholder
    labels = (Label(at, said),) if at is not None else ()
    message = f"`{name}` does not fit here: {reason}"
    span = Span(hole.start, hole.end)
    label = f"{place.what} is {_article(place.type)}"
    way = f"give it the type {describe(place.type)}, or use another placeholder here"
    notes = (f"`{name}` is {said}",) if at is None else ()
    return Diagnostic(CODE, NAME, "error", message, span, label, labels, notes, help=way)


def _places(name: str, places: Sequence[Place]) -> Iterator[Diagnostic]:
    """Places without a written type that no value fits."""
    first = places[0]
    so_far = first.type
    for place in places[1:]:
        both = meet(so_far, place.type)
        if both is None or (place.type != first.type and meet(first.type, place.type) is None):
            hole, other = place.placeholder, first.placeholder
            labels = (Label(Span(other.start, other.end), f"{first.what} is {_article(first.type)}"),)
            message = f"no value of `{name}` fits all of its places"
            label = f"{place.what} is {_article(place.type)}"
            way = "use two placeholders"
            yield Diagnostic(CODE, NAME, "error", message, Span(hole.start, hole.end), label, labels, help=way)
            return
        if both != so_far:
            so_far, first = both, place


def _defaults(
    name: str, places: Sequence[Place], kind: Type | None, declared: Parameter | None
) -> Iterator[Diagnostic]:
    wanted = wanted_type(places)
    before: tuple[object, Span] | None = None
    for place in places:
        hole = place.placeholder
        assert isinstance(hole, Placeholder)
        if hole.default is None:
            continue
        start = hole.default.start
        span = Span(start, hole.default.end)
        value = parse_default(kind or (None if wanted == Str() else wanted), hole.default.text)
        if isinstance(value, TypeProblem):
            inside = Span(start + value.start, start + value.end)
            fixes = (
                (Fix(f"write {value.replacement}", (Edit(inside, value.replacement),)),) if value.replacement else ()
            )
            message = f"the default of `{name}` does not hold"
            yield Diagnostic(CODE, NAME, "error", message, inside, value.message, help=value.help, fixes=fixes)
            continue
        if kind is not None and wanted != Str() and (reason := accepts(wanted, value)):
            yield Diagnostic(CODE, NAME, "error", f"the default of `{name}` does not fit its place", span, reason)
            continue
        if before is not None and before[0] != value:
            labels = (Label(before[1], "another default here"),)
            message = f"`{name}` has two defaults"
            yield Diagnostic(CODE, NAME, "error", message, span, "", labels, help="write the default once")
            continue
        before = before or (value, span)


def _article(kind: Type) -> str:
    return "a ratio" if isinstance(kind, Ratio) else "text" if isinstance(kind, Str) else phrase(kind)


VALID = (
    "(fog:{strength})",
    "(fog:{strength: float[0..2] = 1.2})",
    'a {mood: "calm" | "stormy" = "calm"} sky',
    "{age: int[0..120]} years --seed {seed}",
    "{n: int}, {n} of them --seed {n}",
    'a {subject = "fox"}',
    "[red:blue:{when: float = 0.5}]",
    Case("(fog:{strength})", params={"strength": "int"}),
    Case("{mood} sky", params={"mood": '"calm" | "stormy" = "calm"'}),
)
INVALID = (
    Case("(fog:⟦{strength: str}⟧)"),
    Case('a {mood: "calm" | "stormy" = ⟦"clam"⟧} sky', fixed='a {mood: "calm" | "stormy" = "calm"} sky'),
    Case("{age: ⟦integer⟧} years", fixed="{age: int} years"),
    Case("{age: ⟦itn⟧} years", fixed="{age: int} years"),
    Case("{age: int = ⟦old⟧} years"),
    Case("{age: int[0..120] = ⟦300⟧} years"),
    Case("{r: float⟦[2..0]⟧}", fixed="{r: float[0..2]}"),
    Case("{n: int} and {n: ⟦str⟧}"),
    Case("a fox --seed {x} --ar ⟦{x}⟧"),
    Case("a fox --sref {x} --ar ⟦{x}⟧"),
    Case("a {x} --sref ⟦{x}⟧"),
    Case("a {x = 1} and {x = ⟦2⟧}"),
    Case("(fog:⟦{strength}⟧)", params={"strength": "str"}),
    Case("a fox --steps ⟦{n}⟧", params={"n": "int[0..5000]"}),
    Case("a fox --format ⟦{f}⟧", params={"f": '"webp" | "gif"'}),
)
