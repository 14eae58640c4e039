"""`promptc expand`, as a user calls it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from promptc.cli.expand import expand


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(expand, list(args), input=text)


def test_all_prompts_one_a_line() -> None:
    result = run("-", text="{red|blue} {rose|lily} --ar 4:5\n")
    assert result.exit_code == 0
    assert result.stdout == "red rose --ar 4:5\nred lily --ar 4:5\nblue rose --ar 4:5\nblue lily --ar 4:5\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("a", "1"), ("{a|b}", "2"), ("{2$$a|b|c}", "6"), (" ".join(["{a|b}"] * 200), str(2**200))],
)
def test_the_count(text: str, wanted: str) -> None:
    result = run("-", "--count", text=text)
    assert (result.exit_code, result.stdout) == (0, wanted + "\n")


def test_a_count_of_many_digits_is_whole() -> None:
    result = run("-", "--count", "--output-format", "json", text=" ".join(["{a|b|c|d|e|f|g|h|i|j}"] * 5000))
    assert result.stdout == '{"count": 1' + "0" * 5000 + "}\n"


def test_a_seed_picks() -> None:
    first = run("-", "--seed", "3", "-n", "4", text="{a|b|c|d|e|f} x")
    assert first.exit_code == 0
    assert first.stdout == run("-", "--seed", "3", "-n", "4", text="{a|b|c|d|e|f} x").stdout
    assert first.stdout.splitlines()[1] == run("-", "--seed", "4", text="{a|b|c|d|e|f} x").stdout.strip()


def test_json_has_the_picks() -> None:
    found = json.loads(run("-", "--output-format", "json", text="{red|blue} rose").stdout)
    assert found == {
        "count": 2,
        "prompts": [
            {"line": 1, "text": "red rose", "choices": [0]},
            {"line": 1, "text": "blue rose", "choices": [1]},
        ],
    }
    drawn = json.loads(run("-", "--seed", "9", "--output-format", "json", text="{red|blue} rose").stdout)
    assert drawn["prompts"][0]["seed"] == 9


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a {AND|or} b", ["a \\AND b", "a or b"]),
        ("A{ND|S} y", ["\\AND y", "AS y"]),
        ("(fog{:1.3|s})", ["(fog\\:1.3)", "(fogs)"]),
        ("[x{:0.5|y}]", ["[x\\:0.5]", "[xy]"]),
        ("{a |b}:1.2 AND c", ["a \\:1.2 AND c", "b:1.2 AND c"]),
        ("a -{-|x}seed", ["a \\--seed", "a -xseed"]),
        ("_{_x__|b}", ["\\_\\_x\\_\\_", "_b"]),
        ("{# x|b}", ["\\# x", "b"]),
        ("# a note\n{a|b}\nc", ["a c", "b c"]),
        ("{a\\|b|{{c}}}", ["a\\|b", "{{c}}"]),
    ],
)
def test_what_was_picked_means_what_it_meant_in_its_braces(text: str, lines: list[str]) -> None:
    assert run("-", text=text).stdout.splitlines() == lines


def test_a_value_stays_a_value() -> None:
    assert run("-", "who=a (fox) {x}", text="{big|small} {who}").stdout.splitlines()[0] == "big a \\(fox\\) \\{x\\}"


def test_values_are_filled_in_and_not_read() -> None:
    assert run("-", "who=a fox", text="{big|small} {who}").stdout == "big a fox\nsmall a fox\n"
    result = run("-", "wo=x", text="{big|small} {who}")
    assert result.exit_code == 2
    assert "did you mean who?" in result.output


def test_more_than_the_limit_is_an_error() -> None:
    text = "{a|b|c|d|e|f|g|h|i|j} " * 3
    result = run("-", text=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "1000 prompts (10 x 10 x 10), and the limit is 256" in result.stderr
    assert len(run("-", "--limit", "1000", text=text).stdout.splitlines()) == 1000
    assert run("-", "--limit", "999", text=text).exit_code == 1


def test_the_limit_is_for_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("{a|b}\n{c|d|e}\n")
    assert run(str(path), "--count").stdout == "5\n"
    assert run(str(path)).stdout == "a\nb\nc\nd\ne\n"
    assert "make 5 prompts, and the limit is 4" in run(str(path), "--limit", "4").stderr


@pytest.mark.parametrize("options", [[], ["--count"], ["--seed", "1"]])
@pytest.mark.parametrize("text", ["{__anyof__|b|c}", "{a|b", "{3$$a|b}", "(a {b|c}"])
def test_nothing_is_made_of_a_prompt_that_cannot_be_read(text: str, options: list[str]) -> None:
    result = run("-", *options, text=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr


def test_options_that_do_not_go_together() -> None:
    assert run("-", "--count", "--seed", "1", text="a").exit_code == 2
    assert run("-", "--limit", "3", "--seed", "1", text="a").exit_code == 2


def test_wildcards_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.promptc]\nwildcards = "cards"\n')
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "object.txt").write_text("\n".join(f"o{n}" for n in range(20)))
    (tmp_path / "cards" / "place.txt").write_text("\n".join(f"p{n}" for n in range(30)))
    path = tmp_path / "x.prompt"
    path.write_text("__object__ __place__")
    assert run(str(path), "--count").stdout == "600\n"
    result = run(str(path))
    assert result.exit_code == 1
    assert "600 prompts (20 x 30)" in result.stderr


@pytest.mark.parametrize("text", ["{3$$__trees__|fox}", "{3$$__trees__}"])
def test_more_than_there_are_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "wildcards").mkdir()
    (tmp_path / "wildcards" / "trees.txt").write_text("oak\nelm\n")
    path = tmp_path / "card.prompt"
    path.write_text(text)
    result = run(str(path))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "3 alternatives cannot be picked from 2" in result.stderr
