"""The mypy plug-in on the sources of `tests/mypy/cases`: each line says the errors that mypy must report for it.

`# E: COLUMN MESSAGE [CODE]` belongs to its line; `# E-2:` to two lines above, where a literal leaves no room for a
comment. `PROMPTC_UPDATE=1 pytest` rewrites them. Notes are left out, but for revealed types.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
_LINE = re.compile(r"(?P<file>[\w.]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|note): (?P<text>.*)")
_EXPECTED = re.compile(r"  # E(?P<offset>-\d+)?: (?P<text>.*?)(?=  # E|$)")
CONFIG = """[mypy]
{plugins}strict = True
warn_unused_ignores = False
follow_imports = silent
show_column_numbers = True
pretty = False

[mypy-torch.*,diffusers.*,transformers.*,numpy.*,PIL.*,tifffile.*,rich.*]
follow_imports = skip
"""


class Project:
    """A folder of sources with a mypy cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "with.ini").write_text(CONFIG.format(plugins="plugins = promptc.mypy\n"))
        (folder / "without.ini").write_text(CONFIG.format(plugins=""))

    def check(self, *files: str, config: str = "with.ini", arguments: tuple[str, ...] = ()) -> str:
        command = [sys.executable, "-m", "mypy", "--config-file", config, "--no-error-summary", *arguments, *files]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, encoding="utf-8", check=False)
        assert done.returncode in (0, 1), done.stderr + done.stdout
        return done.stdout

    def errors(self, *files: str, config: str = "with.ini") -> dict[str, dict[int, list[str]]]:
        """What mypy says for each line of each file."""
        found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        for match in map(_LINE.fullmatch, self.check(*files, config=config).splitlines()):
            if match and (match["kind"] == "error" or match["text"].startswith("Revealed")):
                text = re.sub(r"  \[([\w-]+)\]$", r" [\1]", match["text"])
                found[match["file"]][int(match["line"])].append(f"{match['column']} {text}")
        return found


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("mypy")
    for path in CASES.iterdir():
        shutil.copy(path, folder / path.name)
    return Project(folder)


NAMES = sorted(path.name for path in CASES.glob("*.py"))


@pytest.fixture(scope="session")
def errors(project: Project) -> dict[str, dict[int, list[str]]]:
    return project.errors(*NAMES)


def expected(text: str) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for number, line in enumerate(text.splitlines(), 1):
        for match in _EXPECTED.finditer(line):
            found[number + int(match["offset"] or 0)].append(match["text"])
    return found


def annotated(text: str, found: dict[int, list[str]]) -> str:
    """The source with what was found as comments, after the token that ends each line."""
    lines = [_EXPECTED.sub("", line) for line in text.splitlines()]
    inside: dict[int, int] = {}
    for token in tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline):
        for row in range(token.start[0], token.end[0]):
            inside[row] = token.end[0] if token.type == tokenize.STRING else row
    for number in sorted(found):
        for message in found[number]:
            last = inside.get(number, number)
            offset = f"{number - last}" if last != number else ""
            lines[last - 1] += f"  # E{offset}: {message}"
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_cases(name: str, errors: dict[str, dict[int, list[str]]]) -> None:
    text = (CASES / name).read_text(encoding="utf-8")
    if os.environ.get("PROMPTC_UPDATE"):
        (CASES / name).write_text(annotated(text, errors[name]), encoding="utf-8")
    assert dict(errors[name]) == dict(expected(text))


def test_a_case_that_must_be_quiet_expects_nothing() -> None:
    assert not expected((CASES / "quiet.py").read_text(encoding="utf-8"))


def test_without_the_plugin_nothing_of_it_is_said(project: Project) -> None:
    """Every checker that knows no plug-in sees a callable that takes anything, and says nothing about prompts."""
    found = project.errors("literal.py", "file.py", "quiet.py", config="without.ini")
    assert [one for lines in found.values() for line in lines.values() for one in line if "Revealed" not in one] == []


def test_cold_warm_and_touched_runs_say_the_same(project: Project) -> None:
    cold = project.check(*NAMES)
    warm = project.check(*NAMES)
    for name in NAMES:
        path = project.folder / name
        path.write_bytes(path.read_bytes() + b"\n# touched\n")
    touched = project.check(*NAMES)
    assert cold
    assert sorted(cold.splitlines()) == sorted(warm.splitlines()) == sorted(touched.splitlines())


def test_parallel_workers_say_the_same(project: Project) -> None:
    names = ("template.py", "file.py")
    assert sorted(project.check(*names, arguments=("-n", "2")).splitlines()) == sorted(
        project.check(*names).splitlines()
    )


def test_a_changed_prompt_file_is_seen_by_what_uses_it(project: Project) -> None:
    (project.folder / "later.prompt").write_text("portrait of {subject}\n")
    (project.folder / "library.py").write_text('from promptc import prompt\n\ncard = prompt.file("later.prompt")\n')
    (project.folder / "uses.py").write_text('from library import card\n\ncard(subject="a sailor")\n')
    assert project.check("uses.py", "library.py") == ""
    (project.folder / "later.prompt").write_text("portrait of {person}\n")
    assert 'Unexpected keyword argument "subject"' in project.check("uses.py", "library.py")
    (project.folder / "later.prompt").unlink()
    assert "there is no such file" in project.check("uses.py", "library.py")
    (project.folder / "later.prompt").write_text("portrait of {subject}\n")
    assert project.check("uses.py", "library.py") == ""
