"""Every bug report of the field that concerns what is built has an answer here: a case, a test, or a reason."""

import json
import re
from pathlib import Path

import pytest
import yaml

TESTS = Path(__file__).parents[1]
REPORTS = TESTS.parents[1] / "shared" / "data" / "reports.json"
AREAS = {"syntax", "template", "parameters", "tokens", "determinism", "metadata", "output"}
ANSWERS: dict[str, dict[str, str]] = yaml.safe_load((TESTS / "cases" / "reports.yaml").read_text("utf-8"))
CASES = {case["id"].split()[0] for case in json.loads((TESTS / "cases/rules/reports.json").read_text("utf-8"))}


@pytest.mark.parametrize("report", sorted(ANSWERS))
def test_an_answer_is_a_test_that_is_there_or_a_reason(report: str) -> None:
    (kind,) = ANSWERS[report]
    answer = ANSWERS[report][kind]
    if kind == "left":
        assert len(answer.split()) > 3
    else:
        file, _, name = answer.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text("utf-8"), re.MULTILINE)


@pytest.mark.skipif(not REPORTS.is_file(), reason="the reports lie beside the project, and are not here")
def test_no_report_is_without_an_answer() -> None:
    wanted = {report["id"] for report in json.loads(REPORTS.read_text("utf-8")) if report["area"] in AREAS}
    assert wanted - CASES - ANSWERS.keys() == set()
    assert ANSWERS.keys() - wanted == set()
