"""What an encoder is told, case by case (`tests/cases/meaning`) and as properties."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc import meaning as module
from promptc.bind import fill
from promptc.choose import sample
from promptc.meaning import Unresolved, meaning
from promptc.parse import parse

CASES = Path(__file__).parents[1] / "cases" / "meaning"


def cases(name: str) -> list[Any]:
    rows = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    return [pytest.param(row, id=row["text"] or "empty") for row in rows]


def rounded(spans: Any) -> list[list[Any]]:
    return [[text, round(weight, 6)] for text, weight in spans]


@pytest.mark.parametrize("case", cases("spans"))
def test_spans(case: dict[str, Any]) -> None:
    (branch,) = meaning(parse(case["text"], comments=case.get("comments", False)), 20).branches
    (segment,) = branch.segments
    assert segment.last == 20
    assert [rounded(part) for part in segment.parts] == case.get("parts", [case.get("spans")])


@pytest.mark.parametrize("case", cases("schedule"))
def test_schedules(case: dict[str, Any]) -> None:
    (branch,) = meaning(parse(case["text"]), case["steps"]).branches
    assert [[one.last, one.text] for one in branch.segments] == case["schedule"]


@pytest.mark.parametrize("case", cases("branches"))
def test_branches(case: dict[str, Any]) -> None:
    found = meaning(parse(case["text"]), 20).branches
    assert [[one.text, one.weight] for one in found] == case["branches"]


@pytest.mark.parametrize("case", cases("networks"))
def test_networks(case: dict[str, Any]) -> None:
    found = meaning(parse(case["text"]), case.get("steps", 20)).networks
    assert [[one.kind, one.name, one.te, one.unet, [list(each) for each in one.active]] for one in found] == case[
        "networks"
    ]


def test_weighted_options_of_a_schedule_keep_their_weights() -> None:
    (branch,) = meaning(parse("[(red:1.3):(blue:0.8):4] car"), 10).branches
    assert [(one.last, one.parts) for one in branch.segments] == [
        (4, ((("red", 1.3), (" car", 1.0)),)),
        (10, ((("blue", 0.8), (" car", 1.0)),)),
    ]


def test_parameters_are_as_written() -> None:
    found = meaning(parse("a cat --ar 4:5 --seed 7"), 20).parameters
    assert [(one.name, one.value) for one in found] == [("ar", "4:5"), ("seed", "7")]


@pytest.mark.parametrize(
    "value", ["a (b:1.2) {c|d}", "x AND y", "BREAK", "[a:b:0.5]", "<lora:x:1>", "--seed 3", "# no", ""]
)
def test_a_value_is_text_whatever_it_holds(value: str) -> None:
    root = fill(parse("mood: {mood}."), {"mood": value})
    (branch,) = meaning(root, 20).branches
    (segment,) = branch.segments
    assert segment.parts == (((f"mood: {value}.", 1.0),),)
    assert meaning(root, 20).networks == ()


@pytest.mark.parametrize(("value", "last"), [(4, 4), (0.25, 5), (0.98, 19), (30, 20), ("0.5", 10), ("7", 7)])
def test_a_bound_switch_point(value: object, last: int) -> None:
    root = fill(parse("[a:b:{when}]"), {"when": value})
    assert meaning(root, 20).branches[0].segments[0].last == last


def test_a_bound_weight() -> None:
    root = fill(parse("(fog:{w}) <lora:x:{w}> AND b :{w}"), {"w": 1.25})
    found = meaning(root, 20)
    assert found.branches[0].segments[0].parts[0][0] == ("fog", 1.25)
    assert found.branches[1].weight == found.networks[0].te == found.networks[0].unet == 1.25


@pytest.mark.parametrize("text", ["a {b|c}", "__d__ e", "(x {b|c}:1.2)"])
def test_what_is_not_chosen_yet_is_refused(text: str) -> None:
    with pytest.raises(Unresolved):
        meaning(parse(text), 20)
    assert meaning(parse(text), 20, strict=False).branches[0].segments[0].last == 20


def test_a_run_has_a_step() -> None:
    with pytest.raises(ValueError, match="at least one step"):
        meaning(parse("a"), 0)


def test_many_schedules_make_few_segments() -> None:
    text = " ".join(f"[a{n}:b{n}:{n % 20}]" for n in range(200))
    (branch,) = meaning(parse(text), 20).branches
    assert len(branch.segments) == 20


def test_work_grows_with_the_length_of_the_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    told = 0
    original = module._Told.text

    def counted(self: Any, *args: Any) -> None:
        nonlocal told
        told += 1
        original(self, *args)

    monkeypatch.setattr(module._Told, "text", counted)
    work = []
    for size in (50, 100, 200):
        told = 0
        meaning(parse(", ".join(["[a:[b|c]:3] (d:1.2) x"] * size)), 10)
        work.append(told)
    assert work[2] <= 2.1 * work[1] <= 4.5 * work[0]


_PIECES = st.sampled_from(
    [
        "a",
        "cat ",
        " ",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "|",
        ":",
        "0.5]",
        ":1.2)",
        "::",
        ":3]",
        "\\",
        "AND ",
        "BREAK",
        "__",
        "<lora:x:1>",
        "--ar 4:5",
        "{n}",
        "{{x}}",
        "é",
        "\n",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_PIECES, max_size=16).map("".join), st.integers(1, 6))
def test_any_prompt_has_a_meaning(text: str, steps: int) -> None:
    found = meaning(parse(text), steps, strict=False)
    for branch in found.branches:
        lasts = [one.last for one in branch.segments]
        assert lasts == sorted(set(lasts))
        assert lasts[-1] == steps
        for one in branch.segments:
            for part in one.parts:
                assert all(told for told, _ in part)
                assert all(left[1] != right[1] for left, right in pairwise(part))
    for network in found.networks:
        assert all(1 <= first <= last <= steps for first, last in network.active)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["cat", " dog,", " 東京", "(fog:1.3)", "((sun))", "[moon]", "\\("]), max_size=10).map(
        "".join
    )
)
def test_the_spans_are_the_text_without_its_marks(text: str) -> None:
    plain = text.replace("\\(", "\0")
    for mark in ("(", ":1.3)", ")", "[", "]"):
        plain = plain.replace(mark, "")
    (part,) = meaning(parse(text), 20).branches[0].segments[0].parts
    assert "".join(told for told, _ in part) == plain.replace("\0", "(").strip()


def test_a_resolved_prompt_has_a_meaning() -> None:
    for root in sample(parse("{2$$(a:1.2)|[b:c:3]|d BREAK e} {x|y} AND z"), 5, 20):
        assert len(meaning(root, 20).branches) == 2
