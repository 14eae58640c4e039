"""Files on disk: whole or not at all, never over another picture, with names for every system."""

import os
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.names import MAX_NAME, file_name
from promptc_runtime.imaging.store import StoreError, check, store


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_with_its_folder(tmp_path: Path) -> None:
    found = store(b"picture", tmp_path / "a" / "b", "fox.webp")
    assert found.path == tmp_path / "a" / "b" / "fox.webp"
    assert found.path.read_bytes() == b"picture"
    assert found.fresh
    assert names(found.path.parent) == ["fox.webp"]


def test_the_same_bytes_are_kept_as_they_are(tmp_path: Path) -> None:
    first = store(b"picture", tmp_path, "fox.webp")
    time = first.path.stat().st_mtime_ns
    again = store(b"picture", tmp_path, "fox.webp")
    assert (again.path, again.fresh) == (first.path, False)
    assert first.path.stat().st_mtime_ns == time


def test_another_picture_is_never_overwritten(tmp_path: Path) -> None:
    for number, data in enumerate((b"one", b"two", b"three"), 1):
        assert store(data, tmp_path, "fox.webp").path.name == ("fox.webp" if number == 1 else f"fox-{number}.webp")
    assert store(b"two", tmp_path, "fox.webp").path.name == "fox-2.webp"
    assert [(tmp_path / name).read_bytes() for name in names(tmp_path)] == [b"two", b"three", b"one"]


def test_a_link_that_leads_nowhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "fox.webp").symlink_to(tmp_path / "elsewhere")
    assert store(b"x", tmp_path, "fox.webp").path.name == "fox-2.webp"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("broken", ["fsync", "link"])
def test_an_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, broken, interrupt)
    with pytest.raises(KeyboardInterrupt):
        store(b"picture", tmp_path, "fox.webp")
    assert names(tmp_path) == []


def test_file_systems_without_links_are_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    store(b"one", tmp_path, "fox.webp")
    store(b"two", tmp_path, "fox.webp")
    assert names(tmp_path) == ["fox-2.webp", "fox.webp"]


def test_many_writers_of_one_name_lose_nothing(tmp_path: Path) -> None:
    bodies = [f"picture {n % 6}".encode() for n in range(24)]
    threads = [threading.Thread(target=store, args=(body, tmp_path, "fox.webp")) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = [path.read_bytes() for path in tmp_path.iterdir()]
    assert sorted(set(written)) == sorted(set(bodies))


@pytest.mark.parametrize("name", ["", "..", "a/b.webp", "a\\b.webp"])
def test_a_name_is_one_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="is no file name"):
        store(b"x", tmp_path, name)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"file/fox\.webp cannot be written: (file exists|not a directory)"):
        store(b"x", tmp_path / "file", "fox.webp")


def test_a_folder_is_looked_at_before_a_picture_is_made(tmp_path: Path) -> None:
    check(tmp_path / "new" / "folder", ["fox.webp"])
    assert names(tmp_path) == [], "nothing is made by asking"
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"file is a file; choose another folder"):
        check(tmp_path / "file" / "folder", ["fox.webp"])
    with pytest.raises(
        StoreError, match=r"path-too-long: .*fox\.webp has \d+ letters, more than the 259 of this system"
    ):
        check(tmp_path / ("x" * 260), ["fox.webp"], longest=259)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"fox": a study?', "fox-a-study-0123abcd.webp"),
        ("Café Zürich", "cafe-zurich-0123abcd.webp"),
        ("写真", "picture-0123abcd.webp"),
        ("", "picture-0123abcd.webp"),
        ("con", "picture-con-0123abcd.webp"),
        ("COM1: a port", "picture-com1-a-port-0123abcd.webp"),
        ("../../etc/passwd", "etc-passwd-0123abcd.webp"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert file_name(text, "0123abcdef", ".webp") == name


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_every_text_makes_a_portable_name(text: str) -> None:
    name = file_name(text, "0123abcdef", "-1024.webp")
    assert len(name.encode()) <= MAX_NAME
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name)
    assert name.endswith("-0123abcd-1024.webp")
