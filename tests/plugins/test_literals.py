"""Every character of a string literal maps to exactly the source that spells it."""

import ast
import inspect
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.diagnostic import Edit
from promptc.docstring import clean, cleandoc
from promptc.source import Fragment, Source, Span
from promptc_plugins.python_source import literals

PLAIN = "ab {}():#é雾🌫\t"


def literal_in(text: str) -> literals.Literal:
    """The literal assigned in the last statement of `text`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        statement = ast.parse(text).body[-1]
    assert isinstance(statement, ast.Assign)
    source = Source("case.py", text)
    found = literals.read(source, literals.Lines(text), statement.value)
    assert found is not None
    return found


def spelled(literal: literals.Literal) -> list[str]:
    """The source that each character maps to."""
    text = literal.origin.text
    return [text[literal.start(index) : literal.end(index + 1)] for index in range(len(literal.text))]


@st.composite
def tokens(draw: st.DrawFn) -> tuple[str, list[tuple[str, str]]]:
    """A string token, and its characters as (value, spelling) pairs."""
    raw = draw(st.booleans())
    quote = draw(st.sampled_from(["'", '"', "'''", '"""']))
    prefix = draw(st.sampled_from(["r", "R"] if raw else ["", "u", "U"]))
    plain = [(character, character) for character in PLAIN]
    escapes = [
        ("\n", "\\n"),
        ("\\", "\\\\"),
        ("'", "\\'"),
        ('"', '\\"'),
        ("\a", "\\a"),
        ("\x41", "\\x41"),
        ("é", "\\u00e9"),
        ("🌫", "\\U0001F32B"),
        ("•", "\\N{BULLET}"),
        ("A", "\\101"),
        ("", "\\\n"),
        ("", "\\\r\n"),
    ]
    unknown = [("\\", "\\"), ("(", "(")]  # `\(` is no escape: both characters stay
    parts: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 8))):
        kinds = ["plain", "unknown"] + (["escape"] if not raw else []) + (["line"] if len(quote) == 3 else [])
        kind = draw(st.sampled_from(kinds))
        if kind == "plain":
            parts.append(draw(st.sampled_from(plain)))
        elif kind == "escape":
            parts.append(draw(st.sampled_from(escapes)))
        elif kind == "line":
            parts.append(("\n", draw(st.sampled_from(["\n", "\r\n"]))))
        else:
            parts.extend(unknown)
    return prefix + quote + "".join(spelling for _, spelling in parts) + quote, [part for part in parts if part[0]]


BETWEEN = st.sampled_from([" ", "  # note: 'x'\n ", "\n", " \\\n ", " \\\r\n ", "\r\n"])


@given(st.lists(tokens(), min_size=1, max_size=4), st.data())
@settings(max_examples=150)
def test_each_character_maps_to_its_spelling(
    parts: list[tuple[str, list[tuple[str, str]]]], data: st.DataObject
) -> None:
    source = "x = 'ünïcode'; y = ("
    for token, _ in parts:
        source += token + data.draw(BETWEEN)
    source += "\n)\n"
    literal = literal_in(source)
    expected = [part for _, characters in parts for part in characters]
    assert literal.text == "".join(value for value, _ in expected)
    assert spelled(literal) == [spelling for _, spelling in expected]


@given(st.lists(tokens(), min_size=1, max_size=3), st.data())
@settings(max_examples=150)
def test_an_edit_is_spelt_exactly_or_refused(
    parts: list[tuple[str, list[tuple[str, str]]]], data: st.DataObject
) -> None:
    source = "x = (" + " ".join(token for token, _ in parts) + ")"
    literal = literal_in(source)
    start = data.draw(st.integers(0, len(literal.text)))
    end = data.draw(st.integers(start, len(literal.text)))
    new = data.draw(st.text(st.sampled_from("a1(\\'\"\n{é\t"), max_size=4))
    edits = literal.edits([Edit(Span(start, end), new)])
    if edits is None:
        return
    (edit,) = edits
    changed = source[: edit.span.start] + edit.text + source[edit.span.end :]
    assert literal_in(changed).text == literal.text[:start] + new + literal.text[end:]


@pytest.mark.parametrize(
    ("source", "offset", "new", "expected"),
    [
        ("x = 'a'", 1, "'", "x = 'a\\''"),
        ('x = "a"', 1, "'\"", 'x = "a\'\\""'),
        ("x = r'a'", 1, "\\(", "x = r'a\\('"),
        ("x = r'a'", 1, "'", None),  # a raw string cannot spell its own quote
        ("x = r'a'", 1, "\\", None),
        ("x = '\\('", 1, "n", None),  # would turn the lone backslash into a line end
        ("x = '''a'''", 1, "\n", "x = '''a\n'''"),
        ("x = 'a'", 1, "\n", "x = 'a\\n'"),
        ("x = '\\1'", 1, "2", None),  # \1 and 2 would read as \12
        ("x = ''", 0, "b", "x = 'b'"),
        ("x = 'a' ''", 1, "b", "x = 'ab' ''"),
    ],
)
def test_what_is_inserted_is_spelt_for_its_literal(source: str, offset: int, new: str, expected: str | None) -> None:
    edits = literal_in(source).edits([Edit(Span(offset, offset), new)])
    if expected is None:
        assert edits is None
    else:
        assert edits is not None
        (edit,) = edits
        assert source[: edit.span.start] + edit.text + source[edit.span.end :] == expected


def test_an_edit_never_takes_what_stands_between_two_tokens() -> None:
    literal = literal_in("x = ('a(b' # keep\n 'c)d')")
    assert literal.edits([Edit(Span(1, 5), "")]) is None
    assert literal.edits([Edit(Span(1, 2), ""), Edit(Span(4, 5), "")]) is not None


def test_a_sum_of_literals_is_one_literal() -> None:
    literal = literal_in("x = 'a' + r'\\b' + ('c')")
    assert literal.text == "a\\bc"
    assert spelled(literal) == list("a\\bc")


def test_a_zero_width_span_stays_zero_width() -> None:
    literal = literal_in("x = 'ab' 'cd'")
    fragment = Fragment(literal.origin, literal.text, literal)
    assert fragment.span(2, 2) == Span(10, 10)
    assert fragment.span(0, 2) == Span(5, 7)
    assert fragment.span(4, 4) == Span(12, 12)


@given(st.text(st.sampled_from("ab \t\n{}"), max_size=40))
@settings(max_examples=200)
def test_a_docstring_is_cleaned_as_inspect_cleans_it(text: str) -> None:
    assert cleandoc(text) == inspect.cleandoc(text)


@given(st.text(st.sampled_from("ab \t\n{}é"), max_size=40))
@settings(max_examples=100)
def test_each_character_of_a_cleaned_docstring_comes_from_its_place(text: str) -> None:
    cleaned, places = clean(text)
    assert len(cleaned) == len(places)
    assert all(
        text[place] == character or (text[place] == "\t" and character == " ")
        for character, place in zip(cleaned, places, strict=True)
    )


def test_a_cleaned_docstring_keeps_exact_places() -> None:
    source = 'x = """\n    {a} \\u00e9\n\n      b\n    """'
    cleaned = literal_in(source).cleaned()
    assert cleaned.text == "{a} é\n\n  b"
    assert spelled(cleaned) == ["{", "a", "}", " ", "\\u00e9", "\n", "\n", " ", " ", "b"]


def test_a_new_line_in_a_docstring_gets_its_margin() -> None:
    source = 'x = """\n    a\n    b\n    """'
    cleaned = literal_in(source).cleaned()
    edits = cleaned.edits([Edit(Span(3, 3), "\nc")])
    assert edits is not None
    assert edits[0].text == "\n    c"


def test_a_long_literal_is_read_in_one_pass() -> None:
    body = "(fog:1.2), \\u00e9 " * 20_000
    literal = literal_in(f'x = "{body}"')
    assert len(literal.text) == len(body) - 5 * 20_000
    assert literal.end(len(literal.text)) == 5 + len(body)
