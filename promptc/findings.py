"""From a document to its findings: every prompt checked against its context, places moved into the file."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from promptc.check import check_tree, locate
from promptc.files import Document, Unit
from promptc.parse import parse
from promptc.project import Config
from promptc.report import Finding
from promptc.settings import DEFAULT_TARGET, Settings
from promptc.suppress import apply
from promptc.tree import Root, Text


def settings_of(config: Config, *, target: str | None = None, root: Path | None = None) -> Settings:
    """The settings that a project's configuration gives. `target` wins over it."""
    return Settings(
        root=root or config.root,
        target=target or config.target,
        networks=config.networks,
        embeddings=config.embeddings,
        models=config.models,
        wildcards=None if config.wildcards is None else (config.wildcards,),
        steps=config.steps,
        ignore=frozenset(config.ignore),
        plugins=config.plugins,
    )


def findings(document: Document, settings: Settings, *, default: str = DEFAULT_TARGET) -> list[Finding]:
    """Everything there is to say about a document, in the order of the file.

    `default` is the target of a prompt that names none, in a project that names none: the most common one, unless the
    prompt is about to be run by the embedded model.
    """
    source = document.source
    roots = [parse(unit.fragment.text, comments=unit.fragment.comments) for unit in document.units]
    found = list(document.problems)
    for unit, root in zip(document.units, roots, strict=True):
        others = _used_elsewhere(unit, document.units, roots)
        own = settings if settings.target else replace(settings, target=target_of(document, root) or default)
        checked = check_tree(root, unit.fragment.text, context=unit.context, settings=own, used=others)
        found.extend(locate(one, unit.fragment) for one in checked)
    if document.suppressions:
        found = apply(found, document.suppressions, settings.ignore)
    return [Finding(source, one) for one in sorted(found, key=lambda one: (one.span.start, one.span.end, one.code))]


def _used_elsewhere(unit: Unit, units: Sequence[Unit], roots: Sequence[Root]) -> set[str] | None:
    """The parameters that the other prompts with the same context use: a negative prompt uses its file's.

    None for all but the first of them, so that an unused parameter is told once, and for a class, whose fields other
    code uses too.
    """
    if unit.shared:
        return None
    if unit.context is None:
        return set()
    if next(other for other in units if other.context is unit.context) is not unit:
        return None
    from promptc.context import used

    return {
        name
        for other, root in zip(units, roots, strict=True)
        if other is not unit and other.context is unit.context
        for name in used(root)
    }


def target_of(document: Document, root: Root) -> str | None:
    """The target that a prompt names: `target` or `model` of its front matter, or its `--model`."""
    front = document.front
    named = [front.target, front.model] if front else []
    models = [scalar.text for scalar in named if scalar is not None]
    models += [
        "".join(leaf.text for leaf in parameter.value if isinstance(leaf, Text)).strip()
        for parameter in root.parameters
        if parameter.name.text == "model"
    ]
    if not models:
        return None
    from promptc.encoders import targets

    return next((model for model in models if model in targets()), None)
