"""Records, EXIF and XMP on their own, and the hostile or foreign forms of them."""

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc_runtime.metadata import exif, record, xmp
from promptc_runtime.metadata.exif import Exif
from promptc_runtime.metadata.record import Record, RecordError
from promptc_runtime.metadata.xmp import PacketError, Xmp

TEXT = st.text(st.characters(), max_size=20)
PICK = st.integers(0, 99)
SEED = st.integers(0, 2**53 - 1)
RECORDS = st.builds(
    Record,
    generator=TEXT,
    prompt=TEXT,
    negative=TEXT,
    template=st.none() | TEXT,
    values=st.dictionaries(
        TEXT, st.one_of(TEXT, SEED, st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
    ),
    choices=st.none() | st.lists(st.one_of(PICK, st.lists(PICK, max_size=3).map(tuple)), max_size=4).map(tuple),
    seed=SEED,
    batch_index=st.none() | st.integers(0, 99),
    width=st.integers(1, 9999),
    height=st.integers(1, 9999),
    steps=st.none() | st.integers(1, 999),
    sampler=st.none() | TEXT,
    guidance=st.none() | st.floats(0, 100),
    model=st.none() | TEXT,
    plan=st.none() | st.just({"version": 1, "ops": [{"op": "decode", "inputs": ["a"]}]}),
    notes=st.lists(TEXT, max_size=2).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(RECORDS)
def test_a_record_comes_back(value: Record) -> None:
    text = record.dumps(value)
    assert "\n" not in text
    text.encode("utf-8")
    assert record.loads(text) == value


def test_template_and_resolved_prompt_are_both_kept() -> None:
    made = Record(generator="g", prompt="red rose", template="{red|blue} rose", choices=(0,), seed=1, width=8, height=8)
    document = json.loads(record.dumps(made))
    assert (document["prompt"], document["template"], document["choices"]) == ("red rose", "{red|blue} rose", [0])


def test_what_is_not_known_is_not_written() -> None:
    made = Record(generator="g", prompt="", seed=0, width=8, height=8)
    expected = {"promptc": 1, "generator": "g", "prompt": "", "seed": 0, "width": 8, "height": 8}
    assert json.loads(record.dumps(made)) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"prompt": "x"}', "no promptc version"),
        ('{"promptc": 1, "prompt": "x"}', "lacks generator, seed, width, height"),
        ('{"promptc": 1, "prompt": 7}', "its prompt is 7"),
        ('{"promptc": 1, "seed": true}', "its seed is true"),
    ],
)
def test_what_is_no_record_is_refused(text: str, reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        record.loads(text)


def test_a_newer_record_is_read_as_far_as_it_is_known() -> None:
    text = '{"promptc": 2, "generator": "g", "prompt": "x", "seed": 1, "width": 8, "height": 8, "mood": "calm"}'
    assert record.loads(text).prompt == "x"


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60).filter(lambda text: not text.endswith("\0")))
def test_the_exif_comment_comes_back(comment: str) -> None:
    assert exif.read(exif.write(Exif(comment=comment))).comment == comment


def test_the_comment_is_utf16_in_the_order_of_the_header() -> None:
    block = exif.write(Exif(comment="fox 写"))
    assert block[:2] == b"II"
    assert b"UNICODE\0" + "fox 写".encode("utf-16-le") in block


def big_endian(comment: bytes) -> bytes:
    """A block as other programs write it, with the comment's bytes as given."""
    head = b"MM\0*" + struct.pack(">I", 8)
    outer = struct.pack(">HHHIII", 1, exif.EXIF_IFD, 4, 1, 26, 0)
    return head + outer + struct.pack(">HHHIII", 1, exif.USER_COMMENT, 7, len(comment), 44, 0) + comment


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"UNICODE\0" + "fox, 写".encode("utf-16-be"), "fox, 写"),
        (b"UNICODE\0" + "fox, at dawn".encode("utf-16-le"), "fox, at dawn"),  # the wrong order, as many write it
        (b"UNICODE\0" + "\ufefffox".encode("utf-16-le"), "fox"),
        (b"ASCII\0\0\0fox", "fox"),
        (b"\0\0\0\0\0\0\0\0fox \xe5\x86\x99", "fox 写"),
        (b"fox without a code", "fox without a code"),
        ("写真 without a code".encode(), "写真 without a code"),
    ],
)
def test_comments_of_other_programs(value: bytes, text: str) -> None:
    assert exif.read(big_endian(value)).comment == text


def test_ascii_tags_hold_ascii_only() -> None:
    block = exif.write(Exif(description="Zïatype 写真 🌅", software="promptc 0.1.0"))
    found = exif.read(block)
    assert found.description == "Ziatype ?? ?"
    assert found.software == "promptc 0.1.0"
    assert "写".encode() not in block


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80).map(lambda body: b"II*\0" + body) | st.binary(max_size=80))
def test_a_damaged_block_never_raises(block: bytes) -> None:
    exif.read(block)


LEGAL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"), max_size=40).map(
    lambda text: "".join(letter for letter in text if letter in "\t\n\r" or letter >= " ")
)


@settings(max_examples=100, deadline=None)
@given(LEGAL, LEGAL, LEGAL)
def test_a_packet_comes_back(description: str, creator: str, text: str) -> None:
    packet = Xmp(description, creator, text, '{"promptc":1}')
    assert xmp.read(xmp.write(packet)) == packet


def test_other_spellings_of_a_packet_are_read() -> None:
    packet = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        b'<rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/"><xmp:CreatorTool>Darkroom 3</xmp:CreatorTool>'
        b"</rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    assert xmp.read(packet).creator == "Darkroom 3"


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>', "document type"),
        ('<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x><x/>'.encode("utf-16"), "document type"),
        (b"<x", "damaged"),
        (b"\xff\xfe\xfa", "damaged"),
        (b" " * (xmp.MAX_PACKET + 1), "more than"),
    ],
)
def test_hostile_packets_are_refused(packet: bytes, reason: str) -> None:
    with pytest.raises(PacketError, match=reason):
        xmp.read(packet)
