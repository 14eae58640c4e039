"""`promptc migrate --from fstring`: the text of every prompt and every other byte of the file stay the same.

Cases are pairs in `tests/cases/codemods/fstring`; `PROMPTC_UPDATE=1 pytest` rewrites the second of each. Both are run,
and give the same result.
"""

import os
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.cli.migrate import migrate as command
from promptc.source import Source, decode
from promptc_plugins.codemods import Migration, migrate, names

CASES = Path(__file__).parents[1] / "cases" / "codemods" / "fstring"
BEFORE = sorted(CASES.glob("*.before.py"))


def convert(text: str, *words: str) -> Migration:
    return migrate("fstring", Source("case.py", text), words)


def result(text: str) -> object:
    scope: dict[str, object] = {"__name__": "case", "__file__": "case.py"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "case.py", "exec", dont_inherit=True), scope)
    function = scope["result"]
    assert callable(function)
    return function()


@pytest.mark.parametrize("path", BEFORE, ids=lambda path: path.name.split(".")[0])
def test_cases(path: Path) -> None:
    source = decode(path.read_bytes(), str(path))
    made = migrate("fstring", source)
    reports = "".join(f"#> {source.position(one.span.start).line} {one.message}\n" for one in made.problems)
    after = path.with_name(path.name.replace(".before.", ".after."))
    if os.environ.get("PROMPTC_UPDATE"):
        after.write_text(made.text + reports, encoding="utf-8", newline="")
    assert made.text + reports == after.read_text(encoding="utf-8")
    assert migrate("fstring", Source(str(path), made.text)).text == made.text, "a second run changes nothing"
    assert result(made.text) == result(source.text)


TEXTS = st.text(st.sampled_from("ab ,(){}[]<>:|_#-'\\1\n"), max_size=8)
VALUES = ["a (fox)", "{x}", "", "--ar 4:5", "é\n"]


@given(
    st.lists(
        st.one_of(TEXTS, st.sampled_from(["one", "two", "three.real:.1f", "four!r", "two:>5"]).map(lambda one: (one,))),
        max_size=7,
    )
)
@settings(max_examples=60, deadline=None)
def test_a_converted_prompt_has_the_text_of_the_f_string(parts: list[str | tuple[str]]) -> None:
    body = "".join(
        f"{{{part[0]}}}"
        if isinstance(part, tuple)
        else part.replace("\\", "\\\\").replace("{", "{{").replace("}", "}}")
        for part in parts
    )
    assigned = "one: str = 'a (fox)'; two: str = '{x}'; three = 3; four = ''"
    text = f'def result():\n    {assigned}\n    prompt = f"""{body}|"""\n    return prompt\n'
    made = convert(text)
    if made.converted:
        assert result(made.text) == result(text)
    else:
        assert made.text == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_and_the_last_one_stay(end: str, last: bool) -> None:
    text = end.join(["import os", "", "x = 1", 'prompt = f"a {x} b"'] + [""] * last)
    made = convert(text)
    assert made.converted == 1
    assert made.text.endswith(end) == last
    assert set(made.text.replace(end, "")).isdisjoint("\r\n")


def test_a_word_names_other_prompts() -> None:
    text = 'caption = f"a {x} b"\ndraw(f"a {x} b")\n'
    assert convert(text).converted == 0
    assert convert(text, "caption", "draw").converted == 2


def test_questions_to_a_person_are_no_prompts() -> None:
    text = 'import click\nclick.prompt(f"your {x}?")\ninput(f"a {x}")\ngetpass(prompt=f"a {x}")\n'
    assert convert(text) == Migration(text, 0, ())


def test_a_name_that_means_something_else_is_respected() -> None:
    text = 'promptc = 3\nprompt = f"a {x} b"\n'
    made = convert(text)
    assert (made.text, made.converted) == (text, 0)
    assert "`promptc` means something else" in made.problems[0].message


def test_a_file_that_is_no_python_is_reported_at_its_place() -> None:
    made = convert('prompt = f"a {x}"\nif True\n')
    assert made.converted == 0
    assert made.problems[0].span.start == 25
    assert "no valid Python" in made.problems[0].message


def test_every_migration_is_found_by_its_file() -> None:
    assert "fstring" in names()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "one.py").write_bytes(b'\xef\xbb\xbfprompt = f"a {x} \xc3\xa9"\r\n')
    (tmp_path / "two.py").write_bytes(b'y = f"{x}"\n')
    (tmp_path / "broken.py").write_bytes(b'prompt = f"{x}" (\n')
    return tmp_path


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(command, ["--from", "fstring", *map(str, arguments)], standalone_mode=False)
    code = done.return_value if isinstance(done.return_value, int) else getattr(done.exception, "exit_code", 0)
    return int(code or 0), done.stdout, done.stderr


def test_files_are_written_whole_with_their_mark_and_mode(project: Path) -> None:
    path = project / "one.py"
    path.chmod(0o750)
    code, _, said = run(path, project / "two.py")
    assert code == 0
    assert said.splitlines() == [
        "1 prompt converted in 1 file, 0 left as they are",
        "Taken to be texts: x. Where one is a number, write its type, as in {age: int}.",
    ]
    assert path.read_bytes().startswith(b"\xef\xbb\xbfimport promptc\r\n")
    assert "é" in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert sorted(one.name for one in project.iterdir()) == ["broken.py", "one.py", "two.py"]


def test_one_broken_file_does_not_stop_the_others(project: Path) -> None:
    code, _, said = run(project)
    assert code == 1
    assert "broken.py" in said
    assert "1 prompt converted in 1 file, 1 left as they are" in said


@pytest.mark.parametrize("option", ["--diff", "--check"])
def test_nothing_is_written_when_it_is_only_shown(project: Path, option: str) -> None:
    before = (project / "one.py").read_bytes()
    code, shown, said = run(option, project / "one.py")
    assert (project / "one.py").read_bytes() == before
    assert code == (1 if option == "--check" else 0)
    assert ("+prompt = str(promptc.prompt(" in shown) == (option == "--diff")
    assert "would be converted" in said


def test_a_diff_can_be_applied(project: Path) -> None:
    _, shown, _ = run("--diff", project / "one.py")
    assert shown.startswith(f"--- a/{(project / 'one.py').as_posix()}\n+++ b/")
    assert "-\ufeff" not in shown


def test_an_unknown_migration_names_those_there_are() -> None:
    from click import BadParameter

    done = CliRunner().invoke(command, ["--from", "jinja", __file__], standalone_mode=False)
    assert isinstance(done.exception, BadParameter)
    assert "fstring" in done.exception.message


def test_the_command_brings_in_libcst_only_when_it_runs() -> None:
    code = "import sys, promptc.cli.migrate; print('libcst' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "False"
