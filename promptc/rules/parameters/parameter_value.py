"""A parameter whose value does not hold.

## What it does
Reports a value that is missing, cannot be read, or lies outside of what the parameter takes. A size that is no
multiple of the model's step is named with the two nearest sizes. No value is ever replaced by a default.

## Why is this bad
A service refuses the prompt late, or renders something that was not asked for.

## Example
```
a fox --ar 1.5:1 --size 1920x1081 --seed 99999999999999999
```

## Use instead
```
a fox --size 1920x1080 --seed 1234
```
"""

from collections.abc import Iterator

from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.parameters import Given, Size, table
from promptc.parameters.values import nearest_sizes
from promptc.rules import Case
from promptc.rules.facts import Facts
from promptc.source import Span
from promptc.tree import Parameter

CODE, NAME, SEVERITY = "E1302", "parameter-value", "error"
NODES = (Parameter,)


def check(node: Parameter, facts: Facts) -> Iterator[Diagnostic]:
    if not facts.first(node):
        return
    for given in facts.parameters:
        for problem in given.problems:
            better = problem.replacement
            fixes = (Fix(f"write `{better}`", (Edit(problem.span, better),)),) if better else ()
            yield Diagnostic(
                CODE, NAME, "error", problem.message, problem.span, problem.label, help=problem.help, fixes=fixes
            )
        if isinstance(given.meant, Size) and given.spec.kind == "size" and facts.settings.target is not None:
            yield from _step(given, given.meant, facts)
    yield from _widths(facts)


def _span(given: Given, text: str) -> Span:
    """A parameter as a whole, without the blanks after it."""
    start = given.parameter.dash.start
    return Span(start, start + len(text[start : given.parameter.end].rstrip()))


def _widths(facts: Facts) -> Iterator[Diagnostic]:
    """Widths that a file format cannot hold."""
    first = {given.spec.name: given for given in reversed(facts.parameters)}
    out, beside = first.get("out"), first.get("format")
    if out is None or out.problems or not isinstance(out.meant, tuple):
        return
    from promptc.formats import formats  # only a prompt that sets widths pays for it

    kinds = beside.meant if beside is not None else table()["format"].default
    worst = max(width for width in out.meant if isinstance(width, int))
    for kind in kinds if isinstance(kinds, tuple) else ():
        if kind in formats() and worst > formats()[kind].max_side:
            yield Diagnostic(
                CODE,
                NAME,
                "error",
                f"{kind} holds at most {formats()[kind].max_side} pixels a side, and `--out` asks for {worst}",
                _span(out, facts.text),
                "one of these widths is too large",
                help="use png or tiff, or a smaller width",
            )


def _step(given: Given, size: Size, facts: Facts) -> Iterator[Diagnostic]:
    """A size that the language allows and the target does not."""
    step = facts.target.step
    for word, side in zip(("width", "height"), size, strict=True):
        if side % step:
            yield Diagnostic(
                CODE,
                NAME,
                "error",
                f"the {word} {side} is no multiple of {step}",
                _span(given, facts.text),
                f"{facts.target.title} makes sides in steps of {step}",
                help=f"the nearest sizes are {nearest_sizes(size, step)}",
            )
            return


VALID = (
    "a fox --ar 16:9 --seed 9007199254740991 --steps 24 --guidance 7.5",
    "a fox --out 20000 --format png",
    "a fox --out 16383",
    "a fox --size 512x640 --format webp,png --out 1024, 512 --tile",
    "a fox --print ziatype(density=1.8, paper=cotton)",
    "a fox --print ziatype --quality 90",
    "a fox --sref a.png::2 b.png --sw 250",
    "a fox --no blurry, soft light",
    "a fox --seed {seed} --size {width}x{height} --tile {tile}",
    "a fox --print ziatype(density={density})",
)
INVALID = (
    Case("a fox ⟦--out 20000⟧"),
    Case("a fox ⟦--out 1024,20000⟧ --format png,webp"),
    Case("a fox --ar ⟦1.5:1⟧", fixed="a fox --ar 3:2"),
    Case("a fox --ar ⟦wide⟧"),
    Case("a fox --ar ⟦40:1⟧"),
    Case("a fox --seed ⟦9007199254740992⟧"),
    Case("a fox --seed ⟦-1⟧"),
    Case("a fox --seed ⟦1.5⟧"),
    Case("a fox ⟦--seed⟧"),
    Case("a fox --size 1920x⟦1081⟧"),
    Case("a fox ⟦--size 1920x1080⟧", settings={"target": "sd3"}),
    Case("a fox --ar ⟦{16:9|4:5}⟧"),
    Case("a fox --size ⟦big⟧"),
    Case("a fox --size ⟦8⟧x512"),
    Case("a fox --format ⟦wepb⟧", fixed="a fox --format webp"),
    Case("a fox --sampler ⟦ddmi⟧", fixed="a fox --sampler ddim"),
    Case("a fox --sref https://x.example/a.png --sw ⟦1200⟧"),
    Case("a fox --sref a.png::⟦x⟧"),
    Case("a fox --print ⟦cyanotype⟧"),
    Case("a fox --print ziatype(⟦densty⟧=1)", fixed="a fox --print ziatype(density=1)"),
    Case("a fox --print ziatype(density=⟦99⟧)"),
    Case("a fox --print ziatype(paper=⟦coton⟧)", fixed="a fox --print ziatype(paper=cotton)"),
)
