"""Every rule by its own cases: clean ones stay clean, faulty ones give this code alone, at the marked place."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import promptc.rules
from promptc.api import compile as to_plan
from promptc.check import apply_fixes, check
from promptc.context import Context, Parameter, read_declaration
from promptc.diagnostic import Diagnostic
from promptc.errors import PromptError
from promptc.files import load
from promptc.rules import Case, Rule, checks, find, registry
from promptc.rules.__main__ import render
from promptc.settings import Settings
from promptc.source import Fragment, Source, Span, decode
from promptc.tree import Text

SECTIONS = ("What it does", "Why is this bad", "Example", "Use instead")
RULES = registry()
FILE_RULES = {"E0001", "E0951", "W0941", "W0942", "E0943"}
RUN_RULES = {"E1504", "E1505"}
MIGRATION_RULES = {"W0944"}
WHOLE = {"W0001", "W0932", "W1008", "E1401", "W1402", "W1503"}
"""Rules about a prompt as a whole."""


def cases(kind: str) -> Iterator[Any]:
    for rule in RULES:
        for number, case in enumerate(getattr(rule, kind)):
            if rule.code not in FILE_RULES | RUN_RULES | MIGRATION_RULES:
                yield pytest.param(rule, case if isinstance(case, Case) else Case(case), id=f"{rule.code}-{number}")


def run(case: Case, text: str, folder: Path) -> list[Diagnostic]:
    for name, data in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    context = None
    if case.params is not None:
        context = Context("params", tuple(parameter(name, text) for name, text in case.params.items()))
    settings = Settings(**{"root": folder, **case.settings})  # type: ignore[arg-type]
    fragment = Fragment(Source("case.prompt", text), text, comments=case.comments)
    return check(fragment, context=context, settings=settings)


def parameter(name: str, declaration: str) -> Parameter:
    kind, default, problems = read_declaration(declaration)
    assert not problems
    return Parameter(name, kind, default[0] if default else None, required=not default)


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len(RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"[EW]\d{4}", rule.code)
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", rule.name)
        assert find(rule.code) is rule
        assert find(rule.name) is rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_page_and_cases_are_complete(rule: Rule) -> None:
    for section in SECTIONS:
        assert f"\n## {section}\n" in rule.doc, section
    assert rule.valid
    assert rule.invalid
    assert rule.module.rpartition(".")[2] == rule.name.replace("-", "_")


@pytest.mark.parametrize(("rule", "case"), list(cases("valid")))
def test_valid(rule: Rule, case: Case, tmp_path: Path) -> None:
    assert [found for found in run(case, case.text, tmp_path) if found.code == rule.code] == []


@pytest.mark.parametrize(("rule", "case"), list(cases("invalid")))
def test_invalid(rule: Rule, case: Case, tmp_path: Path) -> None:
    start, end = case.text.index("⟦"), case.text.index("⟧") - 1
    text = case.text.replace("⟦", "").replace("⟧", "")
    found = run(case, text, tmp_path)
    assert [(one.code, text[one.span.start : one.span.end], tuple(one.span)) for one in found] == [
        (rule.code, text[start:end], (start, end))
    ]
    assert found[0].name == rule.name
    assert found[0].message
    assert not found[0].message.endswith((".", "!"))
    for place in (found[0].span, *(label.span for label in found[0].labels)):
        assert 0 <= place.start <= place.end <= len(text)
    if case.fixed is not None:
        assert apply_fixes(text, found, unsafe=True) == case.fixed
        left = [one for one in run(case, case.fixed, tmp_path) if one.code == rule.code]
        assert left == []
    else:
        assert not any(fix.safe for fix in found[0].fixes)


@pytest.mark.parametrize(
    ("rule", "case"),
    [one for one in cases("invalid") if one.values[0].code not in WHOLE and "target" not in one.values[1].settings],
)
def test_other_text_before_it_changes_nothing(rule: Rule, case: Case, tmp_path: Path) -> None:
    before = "été 🦊 {x|y}, (sky:1.2) {{}}, "
    text = case.text.replace("⟦", "").replace("⟧", "")
    alone, after = run(case, text, tmp_path), run(case, before + text, tmp_path)
    assert [(one.code, one.message, one.span.start + len(before)) for one in alone] == [
        (one.code, one.message, one.span.start) for one in after
    ]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code in FILE_RULES], ids=lambda rule: rule.code)
def test_file_rules(rule: Rule) -> None:
    for wanted, kind in ((set(), rule.valid), ({rule.code}, rule.invalid)):
        for case in kind:
            assert isinstance(case, Case)
            document = load(case.files[case.text], case.text)
            assert {one.code for one in document.problems} == wanted, case


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code in RUN_RULES], ids=lambda rule: rule.code)
def test_run_rules(rule: Rule) -> None:
    for text in rule.valid:
        assert to_plan(str(text)).ops
    for text in rule.invalid:
        with pytest.raises(PromptError) as caught:
            to_plan(str(text))
        assert {one.code for one in caught.value.diagnostics} == {rule.code}


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code in MIGRATION_RULES], ids=lambda rule: rule.code)
def test_migration_rules(rule: Rule) -> None:
    from promptc_plugins.codemods import migrate

    for wanted, kind in ((set(), rule.valid), ({rule.code}, rule.invalid)):
        for case in kind:
            assert isinstance(case, Case)
            migration = migrate("fstring", decode(case.files[case.text], case.text))
            assert {one.code for one in migration.problems} == wanted, case


def test_every_check_is_asked_for_its_nodes() -> None:
    for rule in RULES:
        if rule.check is None:
            assert rule.nodes == ()
        else:
            assert rule.nodes
            assert all(rule.check in checks(node) for node in rule.nodes)


def test_the_index_is_up_to_date() -> None:
    index = Path(promptc.rules.__file__).with_name("index.py")
    assert index.read_text("utf-8") == render(), "run python -m promptc.rules"


def test_a_plugin_adds_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = ModuleType("third_party.no_foxes")
    rule.__doc__ = "No foxes."
    found = Diagnostic("X0001", "no-foxes", "error", "a fox", Span(2, 5))

    def ask(node: Text, facts: object) -> list[Diagnostic]:
        return [found] if "fox" in node.text else []

    for name, value in {
        "CODE": "X0001", "NAME": "no-foxes", "SEVERITY": "error", "NODES": (Text,), "VALID": (), "INVALID": (), "check": ask,
    }.items():  # fmt: skip
        setattr(rule, name, value)
    point = SimpleNamespace(name="foxes", load=lambda: rule)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point] if group == "promptc.rules" else [])
    promptc.rules.registry.cache_clear()
    fragment = Fragment(Source("x", "a fox"), "a fox")
    assert check(fragment, settings=Settings(plugins=("foxes",))) == [found]
    assert check(fragment) == []
