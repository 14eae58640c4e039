"""Check a prompt: parse it, ask every rule, apply the suppressions, sort."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.parse import parse
from promptc.rules import checks
from promptc.rules.facts import Facts
from promptc.settings import DEFAULT, Settings
from promptc.source import FileSpan, Fragment, Shift, Source, Span
from promptc.suppress import apply, ignored
from promptc.tree import Comment, Root

if TYPE_CHECKING:
    from promptc.context import Context


def check(
    fragment: Fragment,
    *,
    context: "Context | None" = None,
    settings: Settings = DEFAULT,
    used: Collection[str] | None = (),
) -> list[Diagnostic]:
    """The findings in one prompt, in its own offsets, sorted by place. Never raises.

    Without a context, the placeholders declare themselves. `used` names the parameters that other prompts with the
    same context use; None reports no unused parameter at all.
    """
    return check_tree(
        parse(fragment.text, comments=fragment.comments), fragment.text, context=context, settings=settings, used=used
    )


def check_tree(
    root: Root,
    text: str,
    *,
    context: "Context | None" = None,
    settings: Settings = DEFAULT,
    used: Collection[str] | None = (),
) -> list[Diagnostic]:
    """The same for a prompt that is parsed already; `text` is what it was parsed from."""
    facts = Facts(text, root, settings, context, None if used is None else frozenset(used))
    found: list[Diagnostic] = []
    for kind, nodes in facts.kinds.items():
        for ask in checks(kind, settings.plugins):
            for node in nodes:
                found.extend(ask(node, facts))
    if root.parameters:
        told = {(one.code, one.span) for one in found}
        found.extend(one for one in _negatives(facts) if (one.code, one.span) not in told)
    if settings.ignore:
        found = [one for one in found if one.code not in settings.ignore and one.name not in settings.ignore]
    if "promptc:" in text:
        found = apply(found, ignored(facts.nodes(Comment), text), settings.ignore)
    return sorted(found, key=_order)


def _negatives(facts: Facts) -> Iterator[Diagnostic]:
    """The findings in the texts of `--no`: each is a prompt of its own, over the same placeholders."""
    for given in facts.parameters:
        if given.spec.kind == "text":
            start, end = given.parameter.name.end, given.parameter.end
            text = facts.text[start:end]
            fragment = Fragment(Source("", text), text, Shift(start))
            negative = parse(text)
            for one in check_tree(negative, text, context=facts.context, settings=facts.settings, used=None):
                if one.name not in _ONCE:
                    yield locate(one, fragment)


_ONCE = frozenset(("brace", "placeholder-name", "reserved-name", "unknown-placeholder", "placeholder-type", "no-text"))
"""Rules that the prompt around a negative text answers to for both."""


def _order(found: Diagnostic) -> tuple[bool, int, int, str]:
    return isinstance(found.span, FileSpan), found.span.start, found.span.end, found.code


@runtime_checkable
class Spelled(Protocol):
    """The map of a text that its file cannot spell in every way: a string literal."""

    def edits(self, edits: Sequence[Edit]) -> tuple[Edit, ...] | None:
        """Edits of the text as edits of the file, or None where the file cannot spell the result."""
        ...


def locate(diagnostic: Diagnostic, fragment: Fragment) -> Diagnostic:
    """A finding moved from the prompt's offsets to the file's, its fixes spelt as the file spells them.

    A fix that the file cannot spell is left out.
    """

    def move(span: Span) -> Span:
        return span if isinstance(span, FileSpan) else fragment.span(span.start, span.end)

    def spell(fix: Fix) -> Fix | None:
        outside = [edit for edit in fix.edits if isinstance(edit.span, FileSpan)]
        inside = [edit for edit in fix.edits if not isinstance(edit.span, FileSpan)]
        if isinstance(fragment.offsets, Spelled):
            moved = fragment.offsets.edits(inside)
        else:
            moved = tuple(Edit(move(edit.span), fragment.offsets.encode(edit.text)) for edit in inside)
        return None if moved is None else Fix(fix.message, (*moved, *outside), fix.safe)

    return replace(
        diagnostic,
        span=move(diagnostic.span),
        labels=tuple(Label(move(label.span), label.message) for label in diagnostic.labels),
        fixes=tuple(fix for fix in map(spell, diagnostic.fixes) if fix is not None),
    )


def apply_fixes(text: str, diagnostics: Iterable[Diagnostic], *, unsafe: bool = False) -> str:
    """`text` with the first fix of each finding applied, in order of place; only safe ones unless `unsafe`.

    A fix that overlaps one already taken is left for the next run. Nothing else of the text changes.
    """
    taken: list[Edit] = []
    for found in sorted(diagnostics, key=_order):
        for fix in found.fixes:
            if (fix.safe or unsafe) and not any(_touch(one, other) for one in fix.edits for other in taken):
                taken.extend(edit for edit in fix.edits if edit not in taken)
                break
    return _edited(text, taken)


def _touch(one: Edit, other: Edit) -> bool:
    """Two edits cannot both be made: they overlap, or insert at the same place."""
    if one == other:
        return one.span.start == one.span.end
    return (one.span.start < other.span.end and other.span.start < one.span.end) or one.span == other.span


def _edited(text: str, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        pieces += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    return "".join([*pieces, text[at:]])
