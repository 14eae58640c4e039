"""`# promptc: ignore[…]`: for a line, for a whole prompt, and reported where it is not needed."""

import pytest

from promptc.check import apply_fixes, check
from promptc.diagnostic import Diagnostic
from promptc.source import Fragment, Source, Span
from promptc.suppress import Suppression, apply, read


def codes(text: str, *, comments: bool = True) -> list[str]:
    return [one.code for one in check(Fragment(Source("x", text), text, comments=comments))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a (fox", ["E1001"]),
        ("# promptc: ignore[E1001]\na (fox", []),
        ("  # promptc: ignore[ bracket ]\na (fox", []),
        ("#promptc:ignore[E1001]\na (fox", []),
        ("# promptc: ignore[E1001, E0921]\na (fox {} b", []),
        ("# promptc: ignore[e1001]\na (fox", []),
        # Above all text it counts for the whole prompt, else for the next line that is no comment.
        ("# promptc: ignore[E1001]\nsnow\na (fox", []),
        ("snow\n# promptc: ignore[E1001]\na (fox", []),
        ("snow\n# promptc: ignore[E1001]\n# a note\n\na (fox", []),
        ("snow\n# promptc: ignore[E1001]\nsky\na (fox", ["W0001", "E1001"]),
        ("a (fox\n# promptc: ignore[E1001]\nsky", ["E1001", "W0001"]),
        ("# promptc: ignore[E1001]\n# promptc: ignore[E0921]\na (fox {}", []),
        ("# promptc: ignore\na (fox", ["W0001", "E1001"]),
        ("# promptc: ignore[]\nfox", ["W0001"]),
        ("# promptc: ignore[E1001", ["W0001"]),
    ],
)
def test_lines(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_without_comments_it_is_text() -> None:
    assert codes("# promptc: ignore[E1001] a (fox", comments=False) != []


def test_only_what_is_not_needed_is_removed() -> None:
    text = "# promptc: ignore[E0921, E1001, E1002]\na (fox"
    found = check(Fragment(Source("x", text), text, comments=True))
    assert [one.code for one in found] == ["W0001"]
    assert apply_fixes(text, found) == "# promptc: ignore[E1001]\na (fox"


def test_an_unknown_code_is_named_with_the_nearest() -> None:
    text = "# promptc: ignore[brackt]\nfox"
    (found,) = check(Fragment(Source("x", text), text, comments=True))
    assert found.message == "there is no rule `brackt`"
    assert found.help == "did you mean `bracket`?"


def finding(code: str, start: int) -> Diagnostic:
    return Diagnostic(code, "name", "error", "said", Span(start, start + 1))


def test_in_a_python_source_the_scope_is_given() -> None:
    source = "x = prompt('a (b')  # promptc: ignore[E1001]\n"
    at = source.index("#")
    one = read(source[at:].rstrip(), at, Span(0, at))
    assert one == Suppression((("E1001", Span(38, 43)),), Span(20, 44), Span(0, 20))
    assert apply([finding("E1001", 14)], [one]) == []
    assert [left.code for left in apply([finding("E0921", 14)], [one])] == ["E0921", "W0001"]
    assert [left.code for left in apply([finding("E1001", 60)], [one])] == ["E1001", "W0001"]


def test_a_rule_that_is_switched_off_makes_no_clutter() -> None:
    one = read("# promptc: ignore[E1001]", 0, None)
    assert one is not None
    assert apply([], [one], disabled={"E1001"}) == []


def test_other_comments_hold_none() -> None:
    assert read("# promptc is nice", 0, None) is None
    assert read("# noqa: E1001", 0, None) is None
