"""`promptc explain`: every rule has a page, and an unknown code gets the nearest."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from promptc.cli.explain import explain, markdown, sections
from promptc.rules import registry

DOCS = Path(__file__).parents[2] / "docs" / "rules.md"


@pytest.mark.parametrize("rule", registry(), ids=lambda rule: rule.code)
def test_the_page_of_every_rule(rule: object) -> None:
    assert hasattr(rule, "code")
    result = CliRunner().invoke(explain, [rule.code])
    assert result.exit_code == 0
    assert result.output.startswith(f"{rule.code} ")
    for section in ("What it does", "Why is this bad", "Example", "Use instead"):
        assert section in result.output
    assert "```" not in result.output


def test_by_name_and_in_small_letters() -> None:
    pages = [CliRunner().invoke(explain, [word]).output for word in ("E0921", "e0921", "brace", "[E0921]")]
    assert len(set(pages)) == 1


def test_all_rules_are_listed() -> None:
    result = CliRunner().invoke(explain, [])
    assert [line.split()[0] for line in result.output.splitlines()] == [rule.code for rule in registry()]


@pytest.mark.parametrize(
    ("code", "hint"), [("E16O1", "E1601"), ("brackt", "bracket"), ("nonsense-at-all", "lists them")]
)
def test_an_unknown_code(code: str, hint: str) -> None:
    result = CliRunner().invoke(explain, [code])
    assert result.exit_code == 2
    assert hint in result.output


def test_json() -> None:
    one = json.loads(CliRunner().invoke(explain, ["E0921", "--output-format", "json"]).output)
    assert one["name"] == "brace"
    assert set(one["sections"]) >= {"What it does", "Example"}
    everything = json.loads(CliRunner().invoke(explain, ["--output-format", "json"]).output)
    assert [each["code"] for each in everything] == [rule.code for rule in registry()]


def test_the_documentation_is_up_to_date() -> None:
    assert DOCS.read_text("utf-8") == markdown(registry()), (
        "run promptc explain --output-format markdown > docs/rules.md"
    )


def test_examples_are_code() -> None:
    for rule in registry():
        assert "```" in sections(rule)["Example"] or rule.code == "E0001"
