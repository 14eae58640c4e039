"""Wildcard files: how names are found, and what can be wrong with them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from promptc.choose import count, draw, expand, sample
from promptc.parse import parse
from promptc.wildcards import WildcardError, Wildcards, locate

Folder = Callable[[dict[str, str]], Wildcards]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    def make(files: dict[str, str]) -> Wildcards:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return Wildcards([tmp_path])

    return make


FAULTS = {
    "unknown": ("a __colour__ hat", {"colors.txt": "red"}, (2, 12), "there is no wildcard `colour`"),
    "unknown with a close name": ("__color__", {"colors.txt": "red"}, (0, 9), "there is no wildcard `color`"),
    "in a choice": ("{__anyof__|b|c}", {}, (1, 10), "there is no wildcard `anyof`"),
    "empty": ("__none__", {"none.txt": "# nothing\n\n"}, (0, 8), "the wildcard `none` has no entries"),
    "itself": ("__a__", {"a.txt": "x __a__"}, (0, 5), "wildcards refer to one another: a > a"),
    "a circle": ("__a__", {"a.txt": "__b__", "b.txt": "y\n__c__", "c.txt": "{x|__a__}"}, (0, 5), "a > b > c > a"),
    "a circle by glob": ("__x/*__", {"x/a.txt": "1", "x/b.txt": "__x/*__"}, (0, 7), "x/b > x/b"),
    "inside": ("__a__", {"a.txt": "x\n__nope__"}, (0, 5), "there is no wildcard `nope`"),
    "a parameter": ("__a__", {"a.txt": "x --seed 3"}, (0, 5), "an entry of a wildcard cannot hold `--seed`"),
    "a composition": ("__a__", {"a.txt": "x AND y"}, (0, 5), "an entry of a wildcard cannot hold `AND`"),
    "not UTF-8": ("__a__", {"a.txt": "\udcff"}, (0, 5), "cannot be read"),
    "no YAML": ("__a/b__", {"a.yaml": "b: [x"}, (0, 7), "cannot be read"),
    "lists of lists": ("__a/b__", {"a.yaml": "b: [[x]]"}, (0, 7), "a wildcard is a list of texts"),
    "up and out": ("__../secret__", {"x.txt": "1"}, (0, 13), "there is no wildcard `../secret`"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_have_their_place(name: str, tmp_path: Path) -> None:
    text, files, place, message = FAULTS[name]
    for file, content in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(content.encode("utf-8", "surrogateescape"))
    root, wildcards = parse(text), Wildcards([tmp_path])
    (fault,) = wildcards.faults(root)
    assert (fault.span, message in fault.message) == (place, True), fault.message
    for use in (
        count,
        expand,
        lambda *args: draw(args[0], 1, args[1]),
        lambda *args: list(sample(args[0], 1, 1, args[1])),
    ):
        with pytest.raises(WildcardError) as raised:
            use(root, wildcards)
        assert raised.value.fault.message == fault.message


def test_a_file_outside_is_not_reached(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "inside").mkdir()
    assert Wildcards([tmp_path / "inside"]).find("../secret") == ()
    assert Wildcards([tmp_path / "inside"]).find(str(tmp_path / "secret")) == ()


def test_the_place_in_a_wildcard_file_is_told(folder: Folder) -> None:
    wildcards = folder({"pack/people/all.txt": "# x\n __people/eu__\n", "pack/people/eu.txt": "1"})
    (fault,) = wildcards.faults(parse("__pack/people/all__"))
    assert fault.fragment is not None
    assert fault.inner is not None
    place = fault.fragment.origin.position(fault.fragment.span(*fault.inner).start)
    assert (Path(fault.fragment.origin.path).name, place.line, place.column) == ("all.txt", 2, 2)
    assert (fault.inner, fault.suggestion) == ((0, 13), "pack/people/eu")


def test_the_nearest_name_is_offered(folder: Folder) -> None:
    (fault,) = folder({"colors.txt": "red"}).faults(parse("__colour__"))
    assert (fault.suggestion, fault.help) == ("colors", "did you mean `__colors__`?")


def test_a_longer_path_is_offered(folder: Folder) -> None:
    (fault,) = folder({"all.txt": "__people/eu__", "pack/people/eu.txt": "1"}).faults(parse("__all__"))
    assert fault.suggestion == "pack/people/eu"


def test_a_collection_is_no_wildcard(folder: Folder) -> None:
    (fault,) = folder({"colors.yaml": "warm: [red]\ncold: [blue]"}).faults(parse("__colors__"))
    assert fault.help == "`colors` holds other names; `__colors/*__` takes any of them"


def test_one_mistake_is_said_once_for_each_place(folder: Folder) -> None:
    found = folder({"a.txt": "__b__"}).faults(parse("__a__ {__a__|__c__} x"))
    assert [fault.span for fault in found] == [(0, 5), (7, 12), (13, 18)]


def test_wildcards_may_meet_again_below(folder: Folder) -> None:
    wildcards = folder({"a.txt": "__b__ __c__", "b.txt": "__d__", "c.txt": "__d__", "d.txt": "1\n2"})
    assert count(parse("__a__"), wildcards) == 4


def test_a_chain_is_bounded(folder: Folder) -> None:
    wildcards = folder({f"w{n}.txt": f"__w{n + 1}__" for n in range(60)} | {"w60.txt": "end"})
    (fault,) = wildcards.faults(parse("__w0__"))
    assert fault.kind == "deep"
    assert wildcards.faults(parse("__w40__")) == []


def test_entries_are_not_parsed_to_be_counted(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    wildcards = folder({"a.txt": "\n".join(f"(entry {n}:1.2)" for n in range(500))})
    monkeypatch.setattr("promptc.wildcards.parse", lambda text: pytest.fail(f"parsed {text}"))
    assert count(parse("__a__"), wildcards) == 500


def test_earlier_folders_win(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    (tmp_path / "two" / "b.txt").write_text("b")
    wildcards = Wildcards([tmp_path / "one", tmp_path / "two"])
    assert [entry.text for name in "ab" for one in wildcards.find(name) for entry in one.entries] == ["one", "b"]


def test_a_folder_beside_the_prompt_is_found(tmp_path: Path) -> None:
    assert locate(None, tmp_path).folders == ()
    (tmp_path / "wildcards").mkdir()
    assert locate(None, tmp_path).folders == (tmp_path / "wildcards",)
    assert locate([tmp_path], tmp_path).folders == (tmp_path,)
