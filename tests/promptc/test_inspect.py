"""`promptc inspect`, as a user calls it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from promptc.cli.inspect import inspect


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(inspect, list(args), input=text)


def told(text: str, *args: str, status: int = 0) -> dict[str, Any]:
    result = run("-", *args, "--output-format", "json", text=text)
    assert result.exit_code == status, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_spans_and_weights() -> None:
    found = told("((best quality)), [[blurry]] sea\n")
    assert found["spans"] == [["best quality", 1.21], [", ", 1.0], ["blurry", 0.826446], [" sea", 1.0]]
    assert found["schedule"] == [[20, "((best quality)), [[blurry]] sea"]]
    assert found["branches"] == [["((best quality)), [[blurry]] sea", 1.0]]
    assert found["diagnostics"] == []


def test_steps_change_the_schedule() -> None:
    assert told("a [b:c:0.5]", "--steps", "4")["schedule"] == [[2, "a b"], [4, "a c"]]
    assert told("a [b:c:0.5] --steps 10")["schedule"] == [[5, "a b"], [10, "a c"]]
    assert told("a [b:c:0.5] --steps 10", "--steps", "4")["steps"] == 4


def test_branches_networks_and_parameters() -> None:
    found = told("a cat :1.2 AND <lora:ink:0.5> a dog :0.7 --ar 4:5 --seed 7")
    assert found["branches"] == [["a cat", 1.2], [" a dog", 0.7]]
    assert found["networks"] == [{"kind": "lora", "name": "ink", "te": 0.5, "unet": 0.5, "steps": [[1, 20]]}]
    assert found["parameters"] == {"ar": "4:5", "seed": 7}
    assert [branch["weight"] for branch in found["detail"]] == [1.2, 0.7]


def test_breaks_are_parts() -> None:
    found = told("one BREAK two")
    assert found["spans"] == [["one", 1.0], ["two", 1.0]]
    assert found["detail"][0]["schedule"][0]["parts"] == [[["one", 1.0]], [["two", 1.0]]]


def test_values_are_text() -> None:
    found = told("mood: {mood}", "mood=calm {{DP}} {x} (y:1.3)")
    assert found["spans"] == [["mood: calm {{DP}} {x} (y:1.3)", 1.0]]


def test_a_placeholder_without_a_value_stays() -> None:
    assert told("a {subject}, {mood = calm} sky")["spans"] == [["a {subject}, calm sky", 1.0]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["subjct=x"], "did you mean subject?"),
        (["subject"], "name=value"),
        (["subject=x", "subject=y"], "given twice"),
        (["size=tall"], "size:"),
    ],
)
def test_a_value_that_does_not_fit_is_a_usage_error(values: list[str], message: str) -> None:
    result = run("-", *values, text="a {subject}, {size: int = 3}")
    assert result.exit_code == 2
    assert message in result.output


def test_choices_follow_the_seed() -> None:
    spans = {told("{red|blue|green} rose", "--seed", str(seed))["spans"][0][0] for seed in range(12)}
    assert spans == {"red rose", "blue rose", "green rose"}
    assert told("{red|blue} rose", "--seed", "5") == told("{red|blue} rose", "--seed", "5")
    assert told("{red|red} rose")["choices"] in ([0], [1])


def test_tokens_for_each_encoder() -> None:
    (row,) = told("")["tokens"]
    assert (row["encoder"], row["tokens"], row["markers"], row["window"]) == ("clip_l", 0, 2, 75)
    rows = told("[fox:a red fox:0.5]", "--target", "flux")["tokens"]
    assert [(row["encoder"], row.get("tokens"), row["counted"]) for row in rows] == [
        ("clip_l", 3, True),
        ("t5_512", None, False),
    ]


def test_an_unknown_target_is_a_usage_error() -> None:
    result = run("-", "--target", "sd1.5", text="a")
    assert result.exit_code == 2
    assert "did you mean 'sd15'?" in result.output


def test_findings_are_told_and_the_rest_is_shown() -> None:
    found = told("(red cube, blue ball", status=1)
    (finding,) = found["diagnostics"]
    assert (finding["code"], finding["start"]["offset"], finding["severity"]) == ("E1001", 0, "error")
    assert found["spans"] == [["(red cube, blue ball", 1.0]]


def test_a_wildcard_that_is_not_there_is_one_error() -> None:
    found = told("a __nope__ {x|y}", status=1)
    assert [one["code"] for one in found["diagnostics"]] == ["E1101"]
    assert found["spans"] == [["a __nope__ {x|y}", 1.0]]


def test_a_file_with_front_matter(tmp_path: Path) -> None:
    path = tmp_path / "card.prompt"
    path.write_text(
        "---\nparams:\n  subject: str\nnegative: blurry, {subject} twice\n---\n# note\na (photo:1.2) of {subject}\n"
    )
    result = run(str(path), "subject=a fox", "--output-format", "json")
    found = json.loads(result.stdout)
    assert (found["line"], found["spans"]) == (6, [["a ", 1.0], ["photo", 1.2], [" of a fox", 1.0]])
    assert found["negative"]["spans"] == [["blurry, a fox twice", 1.0]]


def test_a_file_of_several_prompts_is_a_list(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("a cat\n\n# no\na (dog)\n")
    found = json.loads(run(str(path), "--output-format", "json").stdout)
    assert [(one["line"], one["spans"]) for one in found] == [(1, [["a cat", 1.0]]), (4, [["a ", 1.0], ["dog", 1.1]])]


def test_wildcards_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "wildcards").mkdir()
    (tmp_path / "wildcards" / "style.txt").write_text("<lora:glow:0.6> soft light\n")
    path = tmp_path / "fox.prompt"
    path.write_text("__style__ fox")
    found = json.loads(run(str(path), "--output-format", "json").stdout)
    assert found["spans"] == [["soft light fox", 1.0]]
    assert found["networks"][0]["name"] == "glow"


def test_text_for_people() -> None:
    result = run("-", "--steps", "10", text="a (cat:1.3) [by day:by night:0.5] BREAK moon AND sea :0.5 --seed 3")
    assert result.exit_code == 0
    assert result.stdout == (
        "<stdin>:1, 10 steps\n"
        "  branch 1, weight 1\n"
        "  steps 1 to 5\n"
        '    1        "a "\n'
        '    1.3      "cat"\n'
        '    1        " by day"\n'
        "    BREAK\n"
        '    1        "moon "\n'
        "  steps 6 to 10\n"
        '    1        "a "\n'
        '    1.3      "cat"\n'
        '    1        " by night"\n'
        "    BREAK\n"
        '    1        "moon "\n'
        "  branch 2, weight 0.5\n"
        "  steps 1 to 10\n"
        '    1        " sea"\n'
        "  --seed 3\n"
        "  clip_l: 5 of 75 tokens\n"
    )


def test_a_file_that_is_not_there() -> None:
    result = run("nowhere.prompt")
    assert result.exit_code == 2
    assert "nowhere.prompt cannot be read" in result.output


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    path.write_text("")
    result = run(str(path), "--output-format", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["diagnostics"] == []
