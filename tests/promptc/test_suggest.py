"""The nearest name: found where it is clear, and none where it would be a guess."""

import pytest

from promptc.suggest import edits, nearest


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("papre", ["paper", "subject"], "paper"),
        ("strenght", ["strength"], "strength"),
        ("Subject", ["subject"], "subject"),
        ("a", ["ar", "size", "no"], "ar"),
        ("uplig", ["uplight", "ar"], "uplight"),
        ("negative_embeds", ["negative_prompt_embeds", "prompt_embeds"], "negative_prompt_embeds"),
        ("aspect-ratio", ["aspect_ratio"], "aspect_ratio"),
        ("aspect_ratio_selections", ["aspect_ratio_selection"], "aspect_ratio_selection"),
        ("fox", ["strength", "paper"], None),
        ("x", ["subject"], None),
        ("st", ["steps", "strength"], None),
        ("fox", [], None),
    ],
)
def test_nearest(name: str, known: list[str], expected: str | None) -> None:
    assert nearest(name, known) == expected


def test_ties_are_broken_by_the_alphabet() -> None:
    assert nearest("bat", ["cat", "hat", "rat"]) == nearest("bat", ["rat", "hat", "cat"]) == "cat"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "xyz", None), ("", "ab", 2)],
)
def test_edits(one: str, other: str, expected: int | None) -> None:
    assert edits(one, other, 2) == expected
