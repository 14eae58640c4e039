"""Which files are checked, and what a project declares."""

from pathlib import Path

import pytest

from promptc.project import Config, ConfigError, discover, find


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_a_folder_is_searched_and_a_named_file_is_taken_as_it_is(tmp_path: Path) -> None:
    write(
        tmp_path,
        "b.py",
        "a.prompt",
        "notes.txt",
        "sub/c.prompt",
        ".hidden/d.py",
        "venv/e.py",
        "own/pyvenv.cfg",
        "own/f.py",
    )
    found = [path.relative_to(tmp_path).as_posix() for path in discover([str(tmp_path), str(tmp_path / "notes.txt")])]
    assert found == ["a.prompt", "b.py", "sub/c.prompt", "notes.txt"]


def test_a_file_named_twice_is_checked_once(tmp_path: Path) -> None:
    write(tmp_path, "a.prompt")
    assert len(list(discover([str(tmp_path), str(tmp_path / "a.prompt")]))) == 1


def test_excluded_patterns(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "gen/b.py")
    assert [path.name for path in discover([str(tmp_path)], ["gen"])] == ["a.py"]


def test_the_nearest_configured_project_counts(tmp_path: Path) -> None:
    write(tmp_path, "sub/x.prompt")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.promptc]\ntarget = "sdxl"\nnetworks = ["ink"]\nwildcards = "cards"\n'
    )
    (tmp_path / "sub/pyproject.toml").write_text("[project]\nname = 'x'\n")
    config = find(tmp_path / "sub")
    assert (config.target, config.networks, config.wildcards) == ("sdxl", ("ink",), tmp_path / "cards")


def test_networks_can_be_a_folder_to_scan(tmp_path: Path) -> None:
    write(tmp_path, "loras/ink.safetensors", "loras/style/wind.SD1.5-V1.safetensors", "loras/readme.md")
    (tmp_path / "pyproject.toml").write_text('[tool.promptc]\nnetworks = "loras"\n')
    assert find(tmp_path).networks == ("ink", "style/wind.SD1.5-V1")


def test_no_configuration_declares_nothing(tmp_path: Path) -> None:
    assert find(tmp_path) == Config(tmp_path.resolve())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('tarjet = "x"', "did you mean 'target'?"),
        ("target = 3", "target must be a text, and is 3"),
        ("ignore = [1]", "ignore must be a list of texts"),
        ('networks = "nowhere"', "no such folder"),
        ("target = ", "pyproject.toml"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.promptc]\n{text}\n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml|no such folder") as caught:
        find(tmp_path)
    assert said in str(caught.value)
