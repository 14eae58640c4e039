"""`promptc compile`: checks first, then prints the plan."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from promptc.cli.compile import compile as command
from promptc.plan import schema
from promptc.plan.plan import loads
from promptc.plan.verify import verify

CASES = Path(__file__).parent.parent / "cases" / "plan"
CARD = """---
params:
  subject: str
  mood: '"calm" | "stormy" = "calm"'
negative: blurry
---
# the sky carries the mood
portrait of {subject} under a {mood} sky, (film grain:1.2) --ar 4:5 --print ziatype
"""


def call(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(command, [*arguments], input=text)


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "card.prompt"
    path.write_text(CARD, encoding="utf-8")
    return path


def test_a_plan_is_printed_as_text(card: Path) -> None:
    found = call(str(card), "subject=a sailor")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert re.fullmatch(r"plan [0-9a-f]{32}", lines[0])
    assert [line.split(" = ")[1].partition("(")[0] for line in lines[1:-1]] == [
        "encode_text",
        "encode_text",
        "denoise",
        "decode",
        "ziatype",
        "describe",
        "encode",
        "store",
    ]
    assert "size=104x128 steps=20 seed=0 sampler=ddim guidance=4.0" in found.stdout
    assert lines[-1] == "return %7"


def test_json_is_a_plan_that_the_schema_knows(card: Path) -> None:
    found = call(str(card), "subject=a sailor", "mood=stormy", "--emit", "json", "--seed", "7")
    assert found.exit_code == 0, found.output
    jsonschema.validate(json.loads(found.stdout), schema.published())
    verify(loads(found.stdout))
    assert '"seed":7' in found.stdout


def test_a_negative_may_declare_what_it_uses(tmp_path: Path) -> None:
    path = tmp_path / "card.prompt"
    path.write_text(CARD.replace("blurry", 'blurry, {artifact = "watermark"}'), encoding="utf-8")
    assert '"blurry, watermark"' in call(str(path), "subject=x").stdout
    assert '"blurry, text"' in call(str(path), "subject=x", "artifact=text").stdout
    assert "did you mean artifact?" in call(str(path), "subject=x", "artefact=text").stderr
    path.write_text(CARD.replace("blurry", "blurry, {artifact}"), encoding="utf-8")
    assert "E0931" in call(str(path), "subject=x", "artifact=text").stderr


def test_graphs(card: Path) -> None:
    assert call(str(card), "subject=x", "--emit", "dot").stdout.startswith("digraph plan {")
    assert call(str(card), "subject=x", "--emit", "mermaid").stdout.startswith("flowchart LR")


def test_equal_prompts_make_equal_plans(card: Path) -> None:
    assert call(str(card), "subject=x").stdout == call(str(card), "subject=x").stdout
    assert call(str(card), "subject=x").stdout != call(str(card), "subject=y").stdout


def test_a_list_of_prompts_is_one_plan(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("a fox --seed 1\n# a comment\n\na hare --seed 1\na {thing}\n", encoding="utf-8")
    found = call(str(path), "thing=boat")
    assert found.exit_code == 0, found.output
    assert found.stdout.count("= store(") == 3
    assert found.stdout.count("= encode_text(") == 4
    assert "\nbatch " in found.stdout


def test_standard_input() -> None:
    found = call("-", text="a {thing}")
    assert found.exit_code == 2
    assert "thing: it has no value" in found.stderr
    assert call("-", "thing=boat", text="a {thing}").exit_code == 0
    two = call("-", "--stdin-filename", "list.txt", text="a fox\na hare\n")
    assert two.stdout.count("= store(") == 2


def test_errors_are_reported_and_nothing_is_compiled(tmp_path: Path) -> None:
    path = tmp_path / "broken.prompt"
    path.write_text("portrait of {subject, (fog:1.2.3)\n", encoding="utf-8")
    found = call(str(path), "subject=x")
    assert found.exit_code == 1
    assert found.stdout == ""
    assert "error[E0921]" in found.stderr
    assert f"{path}:1:13" in found.stderr


def test_what_is_not_run_is_reported_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "style.prompt"
    path.write_text("a fox\n<lora:film:0.8>\n", encoding="utf-8")
    found = call(str(path))
    assert found.exit_code == 1
    assert f"{path}:2:1" in found.stderr
    assert "E1504" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["subjekt=x"], "did you mean subject?"),
        ([], "subject: it has no value"),
        (["subject"], "subject cannot be read: no such file or directory (values are written name=value)"),
        (["subject=a", "subject=b"], "subject is given twice"),
        (["subject=x", "mood=grim"], "mood: "),
        (["subject=x", "--emit", "svg"], "there is no form 'svg'"),
        (["subject=x", "--seed", "-1"], "seed"),
    ],
)
def test_usage_errors(card: Path, arguments: list[str], reason: str) -> None:
    found = call(str(card), *arguments)
    assert found.exit_code == 2
    assert reason in found.stderr
    assert "Traceback" not in found.stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    found = call(str(tmp_path / "nowhere.prompt"))
    assert found.exit_code == 2
    assert "no such file" in found.stderr


@pytest.mark.parametrize("path", sorted(CASES.glob("*.prompt")), ids=lambda path: path.stem)
def test_snapshots(path: Path) -> None:
    """Plans as text. `PROMPTC_UPDATE=1` writes them anew."""
    first = path.read_text(encoding="utf-8").splitlines()[0]
    arguments = first.removeprefix("#! compile").split("|") if first.startswith("#! compile") else []
    found = call(str(path), *(one.strip() for one in arguments if one.strip()))
    assert found.exit_code == 0, found.output
    expected = path.with_suffix(".plan")
    if os.environ.get("PROMPTC_UPDATE"):
        expected.write_text(found.stdout, encoding="utf-8")
    assert found.stdout == expected.read_text(encoding="utf-8")


def test_the_command_starts_without_torch(card: Path) -> None:
    script = (
        "import sys\n"
        "from promptc.cli.compile import compile\n"
        f"compile([{str(card)!r}, 'subject=x'], standalone_mode=False)\n"
        "print({'torch', 'numpy', 'transformers', 'diffusers'} & sys.modules.keys(), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stderr.strip() == "set()"


def test_a_folder_stands_for_its_prompts_and_they_share_their_texts(tmp_path: Path) -> None:
    for name, text in (("b", "a fox --seed 1 --no fog"), ("a", "{place} --seed 2 --no fog")):
        (tmp_path / f"{name}.prompt").write_text(text)
    (tmp_path / "notes.txt").write_text("(broken")
    both = call(str(tmp_path), "place=snow")
    assert both.exit_code == 0, both.stderr
    assert both.stdout.count("= store(") == 2
    assert both.stdout.count('parts=[[["fog"') == 1
    listed = call(str(tmp_path / "a.prompt"), str(tmp_path / "b.prompt"), "place=snow")
    assert listed.stdout == both.stdout


def test_files_of_two_folders_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two", "empty"):
        (tmp_path / name).mkdir()
    for name in ("one", "two"):
        (tmp_path / name / "a.prompt").write_text("a fox")
    found = call(str(tmp_path / "one" / "a.prompt"), str(tmp_path / "two" / "a.prompt"))
    assert (found.exit_code, "lie in one folder" in found.stderr) == (2, True)
    found = call(str(tmp_path / "empty"))
    assert (found.exit_code, "no .prompt file is in this folder" in found.stderr) == (2, True)
