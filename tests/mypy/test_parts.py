"""Parts of the mypy plug-in that need no run of mypy."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from mypy.plugin import MethodContext, Plugin
from mypy.types import AnyType, Type, TypeOfAny
from mypy.version import __version__

import promptc.mypy
from promptc_plugins.mypy.guard import INTERNAL, guarded
from promptc_plugins.mypy.plugin import PromptcPlugin, plugin
from promptc_plugins.mypy.version import compiler, dependencies, prompts


def test_the_installed_mypy_is_in_the_tested_range() -> None:
    assert plugin(__version__) is PromptcPlugin


@pytest.mark.parametrize("version", ["1.19.0", "2.3.9", "3.0.0", "3.1+dev", "nonsense"])
def test_an_untested_mypy_gets_one_note_and_no_hooks(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert plugin(version) is Plugin
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert version in said


def test_a_hook_that_fails_is_one_error_and_the_declared_type() -> None:
    said: list[tuple[str, object]] = []
    declared = AnyType(TypeOfAny.special_form)

    def broken(ctx: MethodContext) -> Type:
        raise IndexError("no such thing")

    api = SimpleNamespace(fail=lambda message, context, code: said.append((message, code)))
    ctx = cast(MethodContext, SimpleNamespace(api=api, context=None, default_return_type=declared))
    assert guarded(broken)(ctx) is declared
    assert [code for _, code in said] == [INTERNAL]
    assert "no such thing" in said[0][0]


def test_the_short_name_forwards_the_version() -> None:
    assert promptc.mypy.__version__ == compiler()
    with pytest.raises(AttributeError):
        promptc.mypy.no_such_name  # noqa: B018


def test_the_version_covers_prompt_files_inside_the_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "mypy.dmypy_server", cast(Any, SimpleNamespace()))
    before = promptc.mypy.__version__
    (tmp_path / "card.prompt").write_text("a {x}")
    assert promptc.mypy.__version__ != before
    assert promptc.mypy.__version__.startswith(compiler())


def test_the_files_that_a_module_names_are_its_dependencies(tmp_path: Path) -> None:
    (tmp_path / "card.prompt").write_text("a {x}")
    (tmp_path / "lines.txt").write_text("a {x}")
    module = tmp_path / "module.py"
    module.write_text(
        'import promptc\nCARD = "card.prompt"\nx = promptc.prompt.file("lines.txt")\ny = "none.prompt"\nz = "a.txt"\n'
    )
    found = dependencies(str(module))
    assert found is not None
    assert sorted(found) == ["card.prompt", "lines.txt", "none.prompt"]
    assert found["none.prompt"] is None
    (tmp_path / "card.prompt").write_text("b {x}")
    changed = dependencies(str(module))
    assert changed is not None
    assert [name for name in found if found[name] != changed[name]] == ["card.prompt"]


def test_a_module_without_prompts_has_none(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("x = 1\n")
    assert dependencies(str(module)) is None
    assert dependencies(str(tmp_path / "none.py")) is None


def test_the_digest_of_a_folder_follows_its_prompt_files(tmp_path: Path) -> None:
    before = prompts(tmp_path)
    (tmp_path / "a.py").write_text("x")
    assert prompts(tmp_path) == before
    (tmp_path / "a.prompt").write_text("x")
    assert prompts(tmp_path) != before


def test_importing_the_compiler_brings_in_no_mypy() -> None:
    code = "import sys, promptc, promptc.template, promptc_plugins; print('mypy' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "False"
    )
