"""The row `parse` of the benchmark, on a few prompts."""

import pytest

from promptc.check import check
from promptc.source import Fragment, Source
from promptc_runtime import bench
from promptc_runtime.bench import parse as row


def test_the_prompts_are_the_same_each_time_and_have_no_mistakes() -> None:
    plain, marked = row.prompts(40)
    assert (plain, marked) == row.prompts(40)
    assert all(400 < len(text) < 520 for text in plain + marked)
    for text in plain + marked:
        assert [one for one in check(Fragment(Source("p", text), text)) if one.severity == "error"] == []


def test_a_row_has_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    few = row.prompts(40)
    monkeypatch.setattr(row, "prompts", lambda: few)
    monkeypatch.setattr(row, "BUDGET", 0.05)
    result = bench.run("parse")
    assert (result.name, result.published_ratio, result.unit) == ("parse", None, "prompts/s")
    assert result.ratio == pytest.approx(result.ours / result.baseline)
    assert {"parse, plain", "parse and check, marked up", "bare grammar, marked up"} <= result.details.keys()


def test_another_parser_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ModuleNotFoundError("no", name="elsewhere")

    few = row.prompts(40)
    monkeypatch.setattr(row, "prompts", lambda: few)
    monkeypatch.setattr(row, "_OTHERS", {"elsewhere": missing})
    assert bench.run("parse").details["elsewhere"] == "not measured: elsewhere is not installed"


def test_rows_are_found() -> None:
    assert "parse" in bench.names()
    with pytest.raises(KeyError):
        bench.run("nothing")
