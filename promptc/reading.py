"""A file's prompts with the values that are known: what `inspect` and `expand` show.

A prompt need not be whole here: a placeholder without a value stays one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from promptc.bind import check_values, fill, read_values
from promptc.context import Context, infer
from promptc.diagnostic import Diagnostic
from promptc.encoders import Target, targets
from promptc.encoders import target as find_target
from promptc.errors import BindError, Refusal
from promptc.files import Document, Unit, load
from promptc.findings import findings, settings_of, target_of
from promptc.parse import parse
from promptc.project import find
from promptc.report import Finding
from promptc.settings import DEFAULT_TARGET, Settings
from promptc.source import Fragment, Span
from promptc.suggest import nearest
from promptc.tree import Root
from promptc.wildcards import Wildcards, locate


@dataclass(frozen=True)
class Reading:
    """One prompt of a file: its tree, with `values` in their placeholders, and what to read it with."""

    unit: Unit
    root: Root
    values: Mapping[str, object]
    target: Target
    wildcards: Wildcards

    @property
    def line(self) -> int:
        """The line of the file where the prompt begins."""
        fragment = self.unit.fragment
        lead = len(fragment.text) - len(fragment.text.lstrip())
        return fragment.origin.position(fragment.span(lead, lead).start).line

    def fill(self, root: Root) -> Root:
        """The values once more, for what came out of a wildcard."""
        return fill(root, self.values)


@dataclass(frozen=True)
class Readings:
    """The prompts of a file and what was found in it. `negative` is the one of the file, not the `--no` of a prompt."""

    document: Document
    prompts: tuple[Reading, ...]
    negative: Reading | None
    findings: tuple[Finding, ...]
    settings: Settings

    def errors(self, *groups: str) -> bool:
        """Whether there are errors; with groups (`E11`), of those only."""
        return any(
            found.diagnostic.severity == "error" and found.diagnostic.code.startswith(groups or ("",))
            for found in self.findings
        )


def read(
    data: bytes,
    path: Path,
    root: Path,
    texts: Mapping[str, str],
    target: str | None = None,
    *,
    default: str = DEFAULT_TARGET,
) -> Readings:
    """Check a file's bytes and fill in these texts of a command line.

    `default` is what a prompt is checked for that names no target, where `target` and the project name none.
    `root` is where relative paths start. Raises BindError for a value that does not fit or that no prompt takes,
    ConfigError for a bad pyproject.toml.
    """
    document = load(data, str(path), root=root)
    settings = settings_of(find(root), target=target, root=root)
    found = tuple(findings(document, settings, default=default))
    wildcards = locate(settings.wildcards, root)
    trees = [parse(unit.fragment.text, comments=unit.fragment.comments) for unit in document.units]
    contexts = [_context(unit.context, tree) for unit, tree in zip(document.units, trees, strict=True)]
    _refuse_unknown(texts, contexts)
    readings = []
    for unit, tree, context in zip(document.units, trees, contexts, strict=True):
        values = _values(tree, context, {name: text for name, text in texts.items() if name in context.names()})
        name = settings.target or target_of(document, tree)
        model = find_target(name if name in targets() else None)
        readings.append(Reading(unit, fill(tree, values), values, model, wildcards))
    negative = next((one for one in readings if one.unit.role == "negative"), None)
    prompts = tuple(one for one in readings if one.unit.role != "negative")
    return Readings(document, prompts, negative, found, settings)


def with_problem(
    readings: Readings, reading: Reading, span: Span, code: str, name: str, message: str, help: str = ""
) -> Readings:
    """The readings with one more error in a prompt, unless its place has one already."""
    place = _file_span(reading.unit.fragment, span)
    for found in readings.findings:
        if (
            found.diagnostic.severity == "error"
            and found.diagnostic.span.start <= place.start < found.diagnostic.span.end
        ):
            return readings
    problem = Finding(readings.document.source, Diagnostic(code, name, "error", message, place, help=help))
    return replace(readings, findings=(*readings.findings, problem))


def _file_span(fragment: Fragment, span: Span) -> Span:
    return fragment.span(*span)


def _context(declared: Context | None, root: Root) -> Context:
    """The declared parameters, and those that the placeholders declare themselves."""
    own = infer(root)
    if declared is None:
        return own
    names = declared.names()
    more = tuple(one for one in own.parameters if one.name not in names)
    return replace(declared, parameters=declared.parameters + more)


def _refuse_unknown(texts: Mapping[str, str], contexts: list[Context]) -> None:
    known = list(dict.fromkeys(name for context in contexts for name in context.names()))
    refusals = []
    for name in texts:
        if name not in known:
            close = nearest(name, known)
            there = f"there is {', '.join(known)}" if known else "there is none"
            refusals.append(Refusal(name, "no placeholder has this name", f"did you mean {close}?" if close else there))
    if refusals:
        raise BindError(refusals)


def _values(root: Root, context: Context, texts: Mapping[str, str]) -> dict[str, object]:
    given = read_values(context, texts)
    missing = [one for one in context.parameters if one.required and one.name not in given]
    if not missing:
        return check_values((root,), context, given)
    defaults = {one.name: one.default for one in context.parameters if not one.required}
    return {**defaults, **given}
