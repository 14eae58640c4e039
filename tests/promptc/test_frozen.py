"""Our dataclass behaves as a frozen, slotted dataclass does."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from dataclasses import dataclass as standard
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Ours:
    """A node."""

    start: int
    parts: tuple[object, ...]
    name: str = "none"


@standard(frozen=True, slots=True)
class Theirs:
    """A node."""

    start: int
    parts: tuple[object, ...]
    name: str = "none"


@dataclass(frozen=True, slots=True)
class Other:
    """The same fields under another name."""

    start: int
    parts: tuple[object, ...]
    name: str = "none"


@pytest.mark.parametrize("args", [(1, ()), (1, (2,), "x")])
def test_it_is_made_shown_and_listed_as_a_dataclass(args: tuple[object, ...]) -> None:
    ours, theirs = Ours(*args), Theirs(*args)  # type: ignore[arg-type]
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert [field.name for field in fields(ours)] == [field.name for field in fields(theirs)]
    assert [field.default for field in fields(ours)] == [field.default for field in fields(theirs)]


@pytest.mark.parametrize("args", [(), (1,), (1, (), "x", 2)])
def test_wrong_arguments_are_refused(args: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        Theirs(*args)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Ours(*args)  # type: ignore[arg-type]


def test_equality_is_by_class_and_value() -> None:
    assert Ours(1, (2,)) == Ours(1, (2,), "none")
    assert Ours(1, ()) != Ours(2, ())
    other: object = Other(1, ())
    assert Ours(1, ()) != other
    assert len({Ours(1, ()), Ours(1, ()), Other(1, ())}) == 2


def test_it_cannot_be_changed_and_has_no_dict() -> None:
    ours = Ours(1, ())
    with pytest.raises(FrozenInstanceError):
        ours.start = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del ours.start
    with pytest.raises(FrozenInstanceError):
        ours.more = 2  # type: ignore[attr-defined]
    assert not hasattr(ours, "__dict__")


def test_replace_match_copy_and_pickle() -> None:
    ours = Ours(1, (Other(2, ()),), "x")
    assert replace(ours, start=3) == Ours(3, (Other(2, ()),), "x")
    assert copy.deepcopy(ours) == ours
    assert pickle.loads(pickle.dumps(ours)) == ours
    match ours:
        case Ours(start, _, name=name):
            assert (start, name) == (1, "x")
