"""The examples are what a newcomer tries first: they are clean, they compile, and one of them becomes a picture."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from promptc.cli import promptc

EXAMPLES = Path(__file__).parents[2] / "examples"


def call(*args: str) -> Result:
    return CliRunner().invoke(promptc, list(args))


def test_the_examples_have_no_findings() -> None:
    result = call("check", str(EXAMPLES), "--fail-on", "warning")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("No findings in ")


def test_all_of_them_are_one_plan() -> None:
    result = call("compile", str(EXAMPLES))
    assert result.exit_code == 0, result.output
    assert result.stdout.count("= store(") == 8


@pytest.mark.parametrize(("value", "said"), [("hour=midnight", "midnight"), ("our=dawn", "did you mean hour?")])
def test_a_wrong_value_is_said_before_anything_runs(value: str, said: str) -> None:
    result = call("compile", str(EXAMPLES / "coast.prompt"), value)
    assert result.exit_code == 2
    assert said in result.output


def test_an_example_becomes_a_picture_that_says_how_it_was_made(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="pictures need the run extra")
    result = call("run", str(EXAMPLES / "print.prompt"), "--out", str(tmp_path), "--no-cache", "--quiet")
    assert result.exit_code == 0, result.output
    (picture,) = tmp_path.glob("*.png")
    read = call("read", str(picture))
    assert "hills, noon, clouds" in read.output
    assert "seed: 7" in read.output
    assert (tmp_path / "index.html").is_file()
