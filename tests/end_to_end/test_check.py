"""`promptc check` as its users meet it: files, standard input, fixes, exit status."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from promptc.cli import promptc


def check(*args: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(promptc, ["check", *args], input=stdin)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_clean_file_exits_0(project: Path) -> None:
    (project / "card.prompt").write_text("a fox, (snow:1.2) --ar 4:5\n")
    result = check("card.prompt")
    assert (result.exit_code, result.output) == (0, "No findings in 1 file.\n")


def test_findings_exit_1_and_show_the_place(project: Path) -> None:
    (project / "card.prompt").write_text("a fox\nportrait of {subject, dusk\n")
    result = check("card.prompt")
    assert result.exit_code == 1
    assert "error[E0921]" in result.output
    assert " --> card.prompt:2:13 (brace)" in result.output
    assert "2 | portrait of {subject, dusk\n  |             ^ " in result.output


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--output-format", "nonsense", "."], "nonsense"),
        ([], "PATH"),
        (["nowhere.prompt"], "no such file or folder: nowhere.prompt"),
        (["--target", "sd51", "."], "did you mean 'sd15'?"),
    ],
)
def test_usage_errors_exit_2(args: list[str], said: str) -> None:
    result = check(*args)
    assert result.exit_code == 2
    assert said in result.output


def test_a_missing_file_beside_others_is_named_and_skipped(project: Path) -> None:
    (project / "card.prompt").write_text("a fox\n")
    result = check("card.prompt", "gone.prompt")
    assert result.exit_code == 0
    assert "gone.prompt: no such file or folder, skipped" in result.stderr


def test_json_is_a_list_with_places_and_fixes(project: Path) -> None:
    (project / "card.prompt").write_text("é fox --ar16:9\n")
    result = check("card.prompt", "--output-format", "json")
    (found,) = json.loads(result.stdout)
    assert (found["file"], found["code"], found["name"], found["severity"]) == ("card.prompt", "E1305", "dash", "error")
    assert found["start"] == {"line": 1, "column": 7, "offset": 6}
    assert found["end"] == {"line": 1, "column": 15, "offset": 14}
    (fix,) = found["fixes"]
    assert fix["safe"] is True
    assert fix["edits"]


def test_standard_input_goes_by_its_given_name() -> None:
    source = 'from promptc import prompt\n\nhero = prompt("a fox, (snow")\n'
    result = check("-", "--stdin-filename", "app/heroes.py", "--output-format", "concise", stdin=source)
    assert result.exit_code == 1
    assert result.output.startswith("app/heroes.py:3:23: E1001 [bracket] error:")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_fix_changes_the_fixed_and_no_other_byte(project: Path, newline: str, mark: str) -> None:
    path = project / "card.prompt"
    text = newline.join([f"{mark}# a note ", "é fox  ,\t(snow:1.2)   --ar16:9", "", ""])
    path.write_bytes(text.encode())
    result = check("--fix", "card.prompt")
    assert result.exit_code == 0, result.output
    assert path.read_bytes() == text.replace("--ar16:9", "--ar 16:9").encode()


def test_only_safe_fixes_are_applied_unless_asked(project: Path) -> None:
    path = project / "card.prompt"
    path.write_text("a fox --sead 4\n")
    assert check("--fix", "card.prompt").exit_code == 1
    assert path.read_text() == "a fox --sead 4\n"
    assert check("--fix", "--unsafe-fixes", "card.prompt").exit_code == 0
    assert path.read_text() == "a fox --seed 4\n"


def test_diff_shows_the_change_and_writes_nothing(project: Path) -> None:
    path = project / "card.prompt"
    path.write_text("a fox --ar16:9\n")
    result = check("--diff", "card.prompt")
    assert "-a fox --ar16:9\n+a fox --ar 16:9\n" in result.output
    assert path.read_text() == "a fox --ar16:9\n"


def test_a_fix_inside_a_python_literal_is_spelt_for_it(project: Path) -> None:
    path = project / "heroes.py"
    before = "from promptc import prompt\nx = prompt('a \\'fox\\' --ar16:9')  # é\n"
    path.write_text(before)
    assert check("--fix", "heroes.py").exit_code == 0
    assert path.read_text() == before.replace("--ar16:9", "--ar 16:9")


def test_a_fixed_link_stays_a_link_and_a_mode_stays(project: Path) -> None:
    real = project / "real.prompt"
    real.write_text("a fox --ar16:9\n")
    real.chmod(0o640)
    (project / "link.prompt").symlink_to(real)
    check("--fix", "link.prompt")
    assert (project / "link.prompt").is_symlink()
    assert real.read_text() == "a fox --ar 16:9\n"
    assert real.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in project.iterdir() if path.name.startswith(".")] == []


def test_suppression_comments(project: Path) -> None:
    (project / "card.prompt").write_text("# promptc: ignore[E1001]\na fox, (snow\n")
    assert check("card.prompt").exit_code == 0
    (project / "card.prompt").write_text("# promptc: ignore[E1001]\na fox\n")
    result = check("card.prompt", "--fail-on", "warning")
    assert result.exit_code == 1
    assert "`E1001` is ignored, and nothing here breaks it" in result.output


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('x = prompt("(fox")  # promptc: ignore[E1001]', 0),
        ('# promptc: ignore[bracket]\nx = prompt("(fox")', 0),
        ('# promptc: ignore[E1001]\ny = 1\nx = prompt("(fox")', 1),
        ('"""promptc: ignore[E1001]"""\nx = prompt("(fox")', 1),
    ],
)
def test_suppression_in_python_comments(project: Path, text: str, status: int) -> None:
    (project / "heroes.py").write_text(f"from promptc import prompt\n{text}\n")
    assert check("heroes.py").exit_code == status


def test_a_parameter_may_be_used_by_the_negative_prompt_alone(project: Path) -> None:
    text = "---\nparams:\n  artifact: str\n  unused: str\nnegative: '{artifact}'\n---\na fox\n"
    (project / "card.prompt").write_text(text)
    result = check("card.prompt", "--output-format", "json")
    (found,) = json.loads(result.stdout)
    assert found["code"] == "W0932"
    assert text[found["start"]["offset"] : found["end"]["offset"]] == "unused"


def test_a_mistake_in_the_negative_prompt_is_found_in_its_place(project: Path) -> None:
    text = "---\nnegative: 'it''s {tone'\n---\na fox\n"
    (project / "card.prompt").write_text(text)
    (found,) = json.loads(check("card.prompt", "--output-format", "json").stdout)
    assert found["code"] == "E0921"
    assert found["start"]["offset"] == text.index("{tone")


def test_each_line_of_a_txt_file_is_a_prompt(project: Path) -> None:
    (project / "list.txt").write_text("a fox\n(snow\n\n# no prompt (\na {b}}\n")
    found = json.loads(check("list.txt", "--output-format", "json").stdout)
    assert [(one["code"], one["start"]["line"]) for one in found] == [("E1001", 2), ("E0921", 5)]


def test_bytes_that_are_no_utf8_do_not_stop_the_others(project: Path) -> None:
    (project / "a.prompt").write_bytes(b"a fox \xff")
    (project / "b.prompt").write_text("(snow")
    found = json.loads(check(".", "--output-format", "json").stdout)
    assert [(one["file"], one["code"]) for one in found] == [("a.prompt", "E0001"), ("b.prompt", "E1001")]
    assert "byte 6" in found[0]["message"]


def test_configuration_gives_names_and_switches_rules_off(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.promptc]\nnetworks = ["ink"]\nignore = ["E1202"]\n')
    (project / "card.prompt").write_text("<lora:inc:0.5:0.7> fox\n")
    (found,) = json.loads(check("card.prompt", "--output-format", "json").stdout)
    assert found["code"] == "E1201"
    assert "`ink`" in found["help"]


def test_output_that_a_terminal_cannot_encode_is_escaped(project: Path) -> None:
    (project / "card.prompt").write_text("写 (snow", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "promptc", "check", "card.prompt"],
        capture_output=True,
        env={"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PATH": ""},
        check=False,
    )
    assert done.returncode == 1
    assert b"\\u5199 (snow" in done.stdout
    assert b"Traceback" not in done.stderr
