"""Token windows: for every choice and step, held against a count of every prompt there is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc import tally as tally_module
from promptc import tokens
from promptc.bind import fill
from promptc.choose import count, expand
from promptc.context import Context, Parameter
from promptc.encoders import Target, target, targets
from promptc.meaning import meaning
from promptc.parse import parse
from promptc.tally import Tally
from promptc.terms import bodies
from promptc.tree import Root
from promptc.types import Int, OneOf, Ratio, Str
from promptc.wildcards import Wildcards
from promptc.window import WindowVerdict, roof, windows

SD15 = target("sd15")
HERON = (Path(__file__).parents[1] / "cases" / "tokens" / "heron.txt").read_text("utf-8").rstrip("\n")


def verdict(text: str, target: Target = SD15, steps: int = 20, **more: Any) -> WindowVerdict:
    (found,) = windows(parse(text), target, steps, **more)
    return found


def small(window: int, name: str = "sd15") -> Target:
    """A target with a window of that many tokens, so that cases are short."""
    found = targets()[name]
    return replace(found, encoders=tuple(replace(one, window=window) for one in found.encoders))


def exactly(root: Root, steps: int, wildcards: Wildcards | None = None) -> list[tuple[int, int]]:
    """By every prompt that the choices make: the tokens of the fullest part, least and most, for each branch."""
    found: list[list[int]] = [[] for _ in root.branches]
    for one in expand(root, wildcards, limit=None):
        for branch, sizes in zip(meaning(one, steps).branches, found, strict=True):
            for segment in branch.segments:
                sizes.append(max(sum(tokens.count(text) for text, _ in part) for part in segment.parts))
    return [(min(sizes), max(sizes)) for sizes in found]


def bounds_of(root: Root, steps: int, wildcards: Wildcards | None = None) -> list[tuple[float, float]]:
    tally = Tally(root, tokens.clip(), steps, None, wildcards)
    found = []
    for body in bodies(root):
        totals = [tally.total(body, step) for step in range(1, steps + 1)]
        found.append((min(total.least for total in totals), max(total.most for total in totals)))
    return found


def test_the_lost_text_is_quoted() -> None:
    found = verdict(HERON)
    assert (found.verdict, found.least, found.most, found.window, found.over) == ("always", 78, 78, 75, 3)
    assert (found.span, found.lost) == ((335, 357), ", catalogue photograph")
    assert found.overflow == "truncate"


def test_a_prompt_of_few_bytes_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tally, "__init__", lambda *args: pytest.fail("counted"))
    for text in (
        "a cat",
        "",
        "a cat in the snow, (film grain:1.2) [a|b] {red|blue} <lora:a-long-name-of-a-network:1> --ar 4:5",
    ):
        assert verdict(text).verdict == "never"


def test_syntax_and_networks_cost_nothing() -> None:
    assert bounds_of(parse("[fox:fox:0.5]"), 10) == [(1, 1)]
    assert bounds_of(parse("<lora:glow_v2:0.6>, fox"), 10) == [(2, 2)]
    assert bounds_of(parse("((fox)), \\(x\\) --seed 3"), 10) == [(5, 5)]
    assert bounds_of(parse(""), 10) == [(0, 0)]


def test_schedules_count_segment_by_segment() -> None:
    ten, five = " ".join(["cat"] * 10), " ".join(["dog"] * 5)
    root = parse(f"[{ten}:{five}:0.5], [{five}:{ten}:0.5]")
    assert bounds_of(root, 10) == [(16, 16)], "not 21, the sum of the greatest"


def test_each_part_between_breaks_has_its_window() -> None:
    part = " ".join(["cat"] * 6)
    assert verdict(f"{part} BREAK {part}", small(8)).verdict == "never"
    found = verdict(f"dog BREAK {part} BREAK {part} fox BREAK x", small(5))
    assert (found.verdict, found.most, found.over, found.lost) == ("always", 7, 2, "cat fox")


def test_a_word_may_join_what_stands_beside_it() -> None:
    root = parse("foot{ball|print|} and {under|over}water{'s|!}")
    assert bounds_of(root, 1) == [(float(low), float(high)) for low, high in exactly(root, 1)]


def test_may_and_always() -> None:
    assert verdict("{a cat|a cat on a mat by a door}", small(4)).verdict == "may"
    assert verdict("{a b c d e|f g h i j k}", small(4)).verdict == "always"
    assert verdict("[a b:a b c d e f:0.5]", small(4)).verdict == "always", "at some step, whatever is chosen"
    assert verdict("{a|b} c", small(4)).verdict == "never"


def test_the_fullest_alternative_is_quoted_at_its_place() -> None:
    text = "a {cat|lynx} on {a mat|a wide red mat by the door}, dusk"
    found = verdict(text, small(8))
    assert found.verdict == "may"
    assert found.span is not None
    assert text[slice(*found.span)] == "the door}, dusk"
    assert found.lost == "the door, dusk"
    assert (found.most, found.over) == (12, 4)


def test_a_choice_of_several() -> None:
    root = parse("{2$$red|deep blue|light grey stone|x} sky")
    assert bounds_of(root, 1) == [(float(low), float(high)) for low, high in exactly(root, 1)]


def test_values_that_are_not_known_may_be_anything() -> None:
    found = verdict("portrait of {subject}, film", small(6))
    assert (found.verdict, found.least, found.most, found.room) == ("may", 4, None, 2)
    assert verdict("portrait of {subject} " + "x " * 80).verdict == "always"


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(OneOf(("calm", "a wild storm")), 4, 6), (Int(0, 120), 4, 6), (Ratio(), 6, 14), (Str(), 3, None)],
)
def test_a_type_bounds_its_value(kind: Any, least: int, most: int | None) -> None:
    context = Context("", (Parameter("mood", kind),))
    found = verdict("sky of {mood} blue", small(2), context=context)
    assert (found.least, found.most) == (least, most)


def test_a_default_is_quoted() -> None:
    found = verdict("a {mood: str = wild and stormy day} sea", small(4))
    assert (found.verdict, found.lost, found.over) == ("may", "day sea", 2)


def test_a_bound_value_is_its_text() -> None:
    root = fill(parse("a {mood} sea"), {"mood": "very (wild:1.3) {x}"})
    (found,) = windows(root, small(4), 20)
    assert (found.verdict, found.most) == ("always", tokens.count("a very (wild:1.3) {x} sea"))


def test_an_embedding_costs_a_token_or_more() -> None:
    found = verdict("a <embedding:dust> day", small(4))
    assert (found.verdict, found.least, found.most) == ("may", 3, None)


def test_every_branch_has_its_verdict() -> None:
    found = windows(parse("a b c d e f g h AND cat"), small(4), 20)
    assert [(one.branch, one.verdict) for one in found] == [(0, "always"), (1, "never")]


def test_every_encoder_has_its_verdict() -> None:
    found = windows(parse(HERON), targets()["flux"], 20)
    assert [(one.encoder.name, one.verdict, one.pooled, one.counted) for one in found] == [
        ("clip_l", "always", True, True),
        ("t5_512", "never", False, False),
    ]
    (long,) = (one for one in windows(parse(HERON * 3), targets()["sd3"], 20) if one.encoder.name == "t5_256")
    assert (long.verdict, long.counted, long.most) == ("may", False, None)


def test_the_embedded_model_counts_with_its_own_vocabulary() -> None:
    landscape = targets()["landscape"]
    vocabulary = landscape.encoders[0].known()
    found = verdict("a red sky over the sea, " * 6, landscape)
    assert found.most == tokens.count("a red sky over the sea, " * 6, vocabulary)
    assert found.overflow == "chunk"


def test_wildcards_are_counted_by_entry(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("red\n(deep blue:1.2)\n__y__ stone\n")
    (tmp_path / "y.txt").write_text("grey\nlight brown\n")
    wildcards = Wildcards([tmp_path])
    for text in ("a __x__, b", "under__x__ a", "a {2$$__x__} b", "a {__x__|__y__-like} b"):
        root = parse(text)
        low, high = bounds_of(root, 1, wildcards)[0]
        (exact,) = exactly(root, 1, wildcards)
        assert low <= exact[0] <= exact[1] <= high
        if "2$$" not in text:
            assert (low, high) == exact
    found = verdict("a __x__ hat", small(3), wildcards=wildcards)
    assert (found.verdict, found.lost, found.span) == ("may", "stone hat", (2, 11))


def test_a_wildcard_that_is_not_known_may_be_anything() -> None:
    found = verdict("a __nope__ hat", small(4))
    assert (found.verdict, found.least, found.most) == ("may", 2, None)


_PIECE = st.sampled_from(
    [
        "cat",
        "foot",
        "ball",
        "'",
        "s",
        " ",
        ", ",
        "7",
        "é",
        "e\u0301",
        "BREAK ",
        "(sun:1.2)",
        "((a)(b))",
        "(un)",
        "[x|yz]",
        "[ab:cd ef:2]",
        "under",
    ]
)
_CHOICE = st.lists(st.lists(_PIECE, max_size=3).map("".join), min_size=2, max_size=3)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(_PIECE, _CHOICE.map(lambda options: "{" + "|".join(options) + "}")), max_size=6).map("".join))
def test_bounds_are_exact_where_there_are_few_ends(text: str) -> None:
    root = parse(text)
    if count(root) > 200:
        return
    broken = "BREAK" in text
    for (low, high), (least, most) in zip(bounds_of(root, 3), exactly(root, 3), strict=True):
        assert low <= least
        assert most <= high
        if not broken:  # which part is the fullest may depend on several choices
            assert (low, high) == (least, most)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(_PIECE, _CHOICE.map(lambda options: "{" + "|".join(options) + "}")), max_size=6).map("".join))
def test_bounds_hold_where_there_are_many_ends(text: str) -> None:
    root = parse(text)
    if count(root) > 200:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally_module, "ENDS", 1)
        found = bounds_of(root, 3)
    for (low, high), (least, most) in zip(found, exactly(root, 3), strict=True):
        assert low <= least
        assert most <= high


@settings(max_examples=100, deadline=None)
@given(
    st.lists(_PIECE, max_size=5).map("".join),
    st.lists(_PIECE, max_size=5).map("".join),
    st.text("cat 7's,é", max_size=6),
)
def test_bounds_hold_for_any_value(before: str, after: str, value: str) -> None:
    root = parse(before + "{x}" + after)
    (low, high) = bounds_of(root, 3)[0]
    for least, _ in exactly(fill(root, {"x": value}), 3):
        assert low <= least
    assert high == float("inf") or "{x}" not in before + "{x}" + after


@settings(max_examples=100, deadline=None)
@given(st.lists(_PIECE, max_size=12).map("".join))
def test_no_prompt_has_more_tokens_than_its_roof(text: str) -> None:
    root = parse(text)
    for body, (_, most) in zip(bodies(root), exactly(root, 3), strict=True):
        bound = roof(body)
        assert bound is not None
        assert most <= bound


def test_the_number_of_choices_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = 0
    original = Tally.flat_join

    def join(self: Tally, one: Any, other: Any) -> Any:
        nonlocal joined
        joined += len(one) * len(other)
        return original(self, one, other)

    monkeypatch.setattr(Tally, "flat_join", join)
    work = []
    for size in (20, 40, 80):
        joined = 0
        verdict(" ".join(["{red|deep blue|x}{a|b}"] * size))
        work.append(joined)
    assert work[2] <= 2.2 * work[1] <= 5 * work[0]
