"""How findings look."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptc.diagnostic import Diagnostic, Edit, Fix, Label
from promptc.report import Finding, formats, render
from promptc.source import Source, Span

SOURCE = Source("card.prompt", "a fox\nportrait of {subject, dusk\n")
FOUND = Diagnostic(
    "E0921",
    "brace",
    "error",
    "this brace is never closed",
    Span(18, 19),
    "opened here",
    labels=(Label(Span(2, 5), "the fox"),),
    notes=("the rest is read as text",),
    help="close it with }, or write {{ for a literal brace",
    fixes=(Fix("close the brace", (Edit(Span(26, 26), "}"),), safe=False),),
)


def test_full_shows_the_source_both_places_and_the_way_out() -> None:
    assert render("full")([Finding(SOURCE, FOUND)], files=1) == (
        "error[E0921]: this brace is never closed\n"
        " --> card.prompt:2:13 (brace)\n"
        "  |\n"
        "1 | a fox\n"
        "  |   --- the fox\n"
        "2 | portrait of {subject, dusk\n"
        "  |             ^ opened here\n"
        "  |\n"
        "  = note: the rest is read as text\n"
        "  = help: close it with }, or write {{ for a literal brace\n"
        "  = fix (--fix --unsafe-fixes): close the brace\n"
        "\n"
        "Found 1 error in 1 file.\n"
    )


def test_concise_is_one_line() -> None:
    assert render("concise")([Finding(SOURCE, FOUND)]) == (
        "card.prompt:2:13: E0921 [brace] error: this brace is never closed\n"
    )


def test_json_gives_lines_columns_and_offsets() -> None:
    (found,) = json.loads(render("json")([Finding(SOURCE, FOUND)]))
    assert found["file"] == "card.prompt"
    assert (found["code"], found["name"], found["severity"]) == ("E0921", "brace", "error")
    assert found["start"] == {"line": 2, "column": 13, "offset": 18}
    assert found["end"] == {"line": 2, "column": 14, "offset": 19}
    assert found["fixes"][0]["edits"][0]["text"] == "}"


def test_color_is_only_added_when_asked_for() -> None:
    assert "\x1b[" in render("full")([Finding(SOURCE, FOUND)], color=True)
    assert "\x1b[" not in render("full")([Finding(SOURCE, FOUND)])


def test_a_wide_character_and_a_tab_keep_the_underline_in_place() -> None:
    source = Source("x", "\t写 (")
    text = render("full")([Finding(source, Diagnostic("E1001", "bracket", "error", "m", Span(3, 4)))])
    line, marks = text.splitlines()[3:5]
    assert line == "1 |     写 ("
    assert marks == "  |        ^"  # four blanks, two columns, one blank


def test_a_long_line_is_cut_around_its_underline() -> None:
    source = Source("x", "a" * 5000 + "(" + "b" * 5000)
    text = render("full")([Finding(source, Diagnostic("E1001", "bracket", "error", "m", Span(5000, 5001)))])
    line, marks = text.splitlines()[3:5]
    assert len(line) < 120
    assert line[marks.index("^")] == "("


@given(
    text=st.text(max_size=60),
    spans=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=3),
    name=st.sampled_from(formats()),
)
def test_no_place_and_no_text_breaks_a_report_or_reaches_the_terminal(
    text: str, spans: list[tuple[int, int]], name: str
) -> None:
    places = [Span(*sorted((min(a, len(text)), min(b, len(text))))) for a, b in spans]
    found = Diagnostic(
        "E1001", "bracket", "error", text, places[0], labels=tuple(Label(place, text) for place in places[1:])
    )
    report = render(name)([Finding(Source("x", text), found)])
    assert "\x1b" not in report
    assert report.endswith("\n")


@pytest.mark.parametrize(
    ("severities", "said"),
    [
        ([], "No findings in 2 files."),
        (["error"], "Found 1 error in 2 files."),
        (["error", "error", "note"], "Found 2 errors and 1 note in 2 files."),
        (["error", "warning", "note"], "Found 1 error, 1 warning and 1 note in 2 files."),
    ],
)
def test_summary(severities: list[str], said: str) -> None:
    findings = [Finding(SOURCE, Diagnostic("E1001", "x", severity, "m", Span(0, 1))) for severity in severities]  # type: ignore[arg-type]
    assert render("concise")(findings, files=2).splitlines()[-1] == said
