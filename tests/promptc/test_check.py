"""Checking as a whole: order, places in the file, fixes, and that no text raises."""

import json
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.check import apply_fixes, check, locate
from promptc.context import Context, Parameter
from promptc.diagnostic import Diagnostic, Edit, Fix
from promptc.settings import Settings
from promptc.source import FileSpan, Fragment, Shift, Source, Span
from promptc.types import Str

CASES = Path(__file__).parent.parent / "cases" / "rules"

MARKUP = st.lists(
    st.sampled_from(
        ["(", ")", "[", "]", "{", "}", "<", ">", "|", ":", "::", "$$", "__", "--", "—", "\\", "#", "\n", " ", ",", "=", ".", "${",
         "{{", "}}", "{%", "++", "AND", "BREAK", "lora:", "embedding:", "0.5", "1", "-1", "1.2.3", "nan", "fox", "été", "🦊", "a",
         "ar", "seed", "size", "sref", "print", "no", "tile", "16:9", "512x512", "ziatype", "x.png", "https://x", "# promptc: ignore[E1001]\n",
         "name", "{name}", "{n: int = 3}", "class", "Misty", '"', "'", "%", "/*", "*/"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


def findings(text: str, **kwargs: object) -> list[Diagnostic]:
    return check(Fragment(Source("x", text), text, comments=True), **kwargs)  # type: ignore[arg-type]


@settings(max_examples=300, deadline=None)
@given(st.one_of(MARKUP, st.text(max_size=80)))
def test_no_text_raises_and_every_span_lies_inside(text: str) -> None:
    found = findings(text)
    assert [one.span.start for one in found] == sorted(one.span.start for one in found)
    for one in found:
        spans = [
            one.span,
            *(label.span for label in one.labels),
            *(edit.span for fix in one.fixes for edit in fix.edits),
        ]
        assert all(0 <= span.start <= span.end <= len(text) for span in spans), one
        assert one.message
        for fix in one.fixes:
            edits = sorted(edit.span for edit in fix.edits)
            assert all(before.end <= after.start for before, after in pairwise(edits)), one


@settings(max_examples=200, deadline=None)
@given(MARKUP)
def test_safe_fixes_come_to_rest(text: str) -> None:
    for _ in range(len(text) + 1):
        found = findings(text)
        fixed = apply_fixes(text, found)
        if fixed == text:
            break
        text = fixed
    assert not any(fix.safe for one in findings(text) for fix in one.fixes)


def test_findings_are_sorted_by_place_and_one_for_each_mistake() -> None:
    text = "a (fox, {Misty}, {}, [a:b:1.0], <lora:x:1:2> --sed 4 --ar 4:5 --size 8x8"
    assert [one.code for one in findings(text)] == [
        "E1001",
        "E0911",
        "E0921",
        "E1003",
        "E1202",
        "E1301",
        "E1303",
        "E1302",
    ]


def test_ignored_rules_are_silent() -> None:
    text = "a (fox {}"
    assert [one.code for one in findings(text, settings=Settings(ignore=frozenset({"E1001"})))] == ["E0921"]
    assert [one.code for one in findings(text, settings=Settings(ignore=frozenset({"brace"})))] == ["E1001"]


def test_an_unused_parameter_is_at_its_declaration() -> None:
    context = Context("params", (Parameter("paper", Str(), span=Span(4, 9)), Parameter("tone", Str())))
    found = findings("a fox", context=context)
    assert [(one.code, one.span, isinstance(one.span, FileSpan)) for one in found] == [
        ("W0932", Span(0, 5), False),
        ("W0932", Span(4, 9), True),
    ]
    assert findings("a fox", context=context, used=("paper", "tone")) == []
    assert findings("a fox", context=context, used=None) == []


@dataclass(frozen=True)
class Doubled:
    """A map of a text whose every character is two in the file."""

    def start(self, offset: int) -> int:
        return 10 + 2 * offset

    def end(self, offset: int) -> int:
        return 10 + 2 * offset

    def encode(self, text: str) -> str:
        return "".join(char * 2 for char in text)


def test_locate_moves_places_and_spells_fixes_as_the_file_does() -> None:
    source = Source("x", "." * 50)
    found = Diagnostic(
        "E1", "x", "error", "m", Span(1, 3), fixes=(Fix("f", (Edit(Span(1, 2), "ab"), Edit(FileSpan(0, 1), "c"))),)
    )
    moved = locate(found, Fragment(source, "abc", Doubled()))
    assert moved.span == Span(12, 16)
    assert moved.fixes[0].edits == (Edit(Span(12, 14), "aabb"), Edit(FileSpan(0, 1), "c"))
    assert locate(found, Fragment(source, "abc", Shift(5))).span == Span(6, 8)


def edit(start: int, end: int, text: str, *, safe: bool = True) -> Diagnostic:
    return Diagnostic(
        "E1", "x", "error", "m", Span(start, end), fixes=(Fix("f", (Edit(Span(start, end), text),), safe),)
    )


def test_fixes_are_applied_where_they_do_not_overlap() -> None:
    assert apply_fixes("abcdef", [edit(0, 1, "X"), edit(3, 4, ""), edit(6, 6, "!")]) == "Xbcef!"
    assert apply_fixes("abcdef", [edit(0, 3, "X"), edit(2, 4, "Y")]) == "Xdef"
    assert apply_fixes("abcdef", [edit(0, 1, "X", safe=False)]) == "abcdef"
    assert apply_fixes("abcdef", [edit(0, 1, "X", safe=False)], unsafe=True) == "Xbcdef"
    assert apply_fixes("abcdef", [edit(2, 2, "X"), edit(2, 2, "X")]) == "abXcdef"
    assert apply_fixes("abcdef", []) == "abcdef"


def calls(text: str) -> int:
    """How many functions a check calls: its work, whatever the machine."""
    count = 0

    def step(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(step)
    try:
        findings(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "piece",
    ["(", ")", "{a|b} ", "{name} ", "(fog:1.2) ", "(fog:x.2) ", "embedding:x {a|b} ", "haze:1.4, ", "BREAK ", "a AND ", ":) ",
     "<lora:a:1:2> ", "____a____ ", "[a:b:1.0] ", "{a.b} ", "# promptc: ignore[E1001]\n", "--seed 1 ", "--no (x "],
)  # fmt: skip
def test_the_work_grows_with_the_length(piece: str) -> None:
    findings("a " + piece * 2)  # imports and tables are made once
    few, many = calls("a " + piece * 100), calls("a " + piece * 400)
    assert many < 5 * few


def reports() -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((CASES / "reports.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize("report", reports(), ids=lambda report: str(report["id"]))
def test_reports_of_users(report: dict[str, object]) -> None:
    """What people reported of other tools: each text, and what is said about it here."""
    text = str(report["text"])
    found = findings(text, settings=Settings(**report.get("settings", {})))  # type: ignore[arg-type]
    assert [[one.code, one.severity, text[one.span.start : one.span.end]] for one in found] == report["found"]
