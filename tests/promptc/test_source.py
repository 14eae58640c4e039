"""Places in a text, and bytes that are no text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptc.source import Fragment, NotUtf8, Shift, Source, Span, decode


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_columns_are_the_same_for_every_line_end(newline: str) -> None:
    source = Source("x", f"one{newline}two{newline}")
    assert source.position(source.text.index("w"))[:2] == (2, 2)
    assert source.line(2) == "two"
    assert source.line(3) == ""


def test_offsets_count_code_points() -> None:
    source = Source("x", "é😀x")
    assert source.position(2) == (1, 3, 2)


def test_a_byte_order_mark_is_no_character_and_is_written_back() -> None:
    data = b"\xef\xbb\xbfred"
    source = decode(data, "x")
    assert source.text == "red"
    assert source.encode() == data


@pytest.mark.parametrize(
    ("data", "offset", "said"),
    [
        (b"ab\xff", 2, "0xff is no UTF-8"),
        (b"\xef\xbb\xbfab\x80", 5, "0x80 is no UTF-8"),
        (b"\xff\xfea\x00", 0, "the file looks like UTF-16 LE"),
        (b"\xfe\xff\x00a", 0, "the file looks like UTF-16 BE"),
    ],
)
def test_bytes_that_are_no_utf8_are_named_by_offset(data: bytes, offset: int, said: str) -> None:
    with pytest.raises(NotUtf8) as caught:
        decode(data, "x")
    assert (caught.value.offset, caught.value.reason) == (offset, said)


@given(st.text(alphabet="a\r\n", max_size=20))
def test_every_offset_has_a_place_and_lines_join_to_the_text(text: str) -> None:
    source = Source("x", text)
    places = [source.position(offset) for offset in range(len(text) + 1)]
    assert [place.offset for place in places] == list(range(len(text) + 1))
    assert places == sorted(places)
    assert "".join(source.line(number) for number in range(1, places[-1].line + 1)) == text.replace("\r", "").replace(
        "\n", ""
    )


def test_a_fragment_maps_to_its_file() -> None:
    assert Fragment(Source("x", "## fox"), "fox", Shift(3)).span(0, 3) == Span(3, 6)
