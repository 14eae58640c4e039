"""Token counts, held against the tokenizer of transformers."""

import functools
import heapq
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc import tokens
from promptc.package import package

NASTY = (Path(__file__).parents[1] / "cases" / "tokens" / "nasty.txt").read_bytes().decode("utf-8").split("\n---\n")


@functools.cache
def oracle(folder: Path) -> Any:
    """The tokenizer of transformers, built from our own vocabulary."""
    pytest.importorskip("transformers")
    import json

    from transformers import CLIPTokenizer

    known = tokens.clip()
    vocabulary = {**known.ids, "<|startoftext|>": known.start, "<|endoftext|>": known.end}
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(known.ranks) + "\n", "utf-8")
    return CLIPTokenizer(vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt"))


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return oracle(tmp_path_factory.mktemp("clip"))


def theirs(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False).input_ids)


def test_the_vocabulary_is_whole() -> None:
    known = tokens.clip()
    assert len(known.ids) + 2 == 49408
    assert (known.start, known.end) == (49406, 49407)
    assert (known.ids["!"], known.ids["the</w>"], known.ids["jekyll</w>"]) == (0, 518, 49405)


@pytest.mark.parametrize("text", NASTY)
def test_nasty_texts_have_the_ids_of_transformers(clip: Any, text: str) -> None:
    assert [token.id for token in tokens.encode(text)] == theirs(clip, text)
    assert tokens.count(text) == len(theirs(clip, text))


_LETTERS = st.characters(codec="utf-8", exclude_categories=("Cn", "Co"))
_SCRIPTS = st.sampled_from(
    "aZ09 _'’.,:()<>|\t\n\u00a0\u200b\u200dàÅßıİŉǅΣσςάЖё한각あがｶﾞ中文ไทยعربي²½ⅷ🦊👩‍🚀e\u0301\u0338\u1100\u1161\u11a8"
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(_SCRIPTS, max_size=24), st.text(_LETTERS, max_size=16)))
def test_any_text_has_the_ids_of_transformers(clip: Any, text: str) -> None:
    # A character that only one of the two Unicode tables knows may be split otherwise.
    newer = any(unicodedata.category(char) == "Cn" for char in text)
    if not newer:
        assert [token.id for token in tokens.encode(text)] == theirs(clip, text)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(_SCRIPTS, max_size=24), st.text(max_size=16)))
def test_spans_lie_in_the_text_in_order_and_miss_only_blanks(text: str) -> None:
    found = tokens.encode(text)
    assert tokens.count(text) == len(found)
    assert tokens.ceiling(text) >= len(found)
    at, missed = 0, []
    for token in found:
        assert 0 <= token.start < token.end <= len(text)
        assert token.end >= at
        missed.append(text[at : token.start])
        at = token.end
    missed.append(text[at:])
    assert not "".join(missed).translate(str.maketrans("", "", tokens._SPACES + " "))


def test_text_cut_at_a_token_counts_that_many_tokens() -> None:
    text = "Un Cafe\u0301 FROID, fjørd & 東京 🦊!"
    found = tokens.encode(text)
    for index in range(1, len(found)):
        if found[index].start > found[index - 1].end:
            assert tokens.count(text[: found[index].start]) == index


def test_the_lost_text_can_be_quoted() -> None:
    text = (Path(__file__).parents[1] / "cases" / "tokens" / "heron.txt").read_text("utf-8").rstrip("\n")
    found = tokens.encode(text)
    assert len(found) == 78
    assert (found[75].start, found[-1].end) == (335, 357)
    assert text[335:357] == ", catalogue photograph"


def test_a_decomposed_letter_is_one_place() -> None:
    assert [(token.start, token.end) for token in tokens.encode("cafe\u0301 noir")] == [(0, 5), (6, 10)]


def test_a_character_of_many_tokens_keeps_its_place() -> None:
    assert {(token.start, token.end) for token in tokens.encode("x ⅷ")[1:]} == {(2, 3)}


@pytest.mark.parametrize(("text", "wanted"), [("", 0), (" \n\t", 0), (", fox", 2), ("fox", 1), ("[fox:fox:0.5]", 9)])
def test_small_counts(text: str, wanted: int) -> None:
    assert tokens.count(text) == wanted


def test_merging_a_long_word_queues_each_pair_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    pushed = 0

    def push(queue: list[tuple[int, int]], item: tuple[int, int]) -> None:
        nonlocal pushed
        pushed += 1
        original(queue, item)

    original = heapq.heappush
    monkeypatch.setattr(heapq, "heappush", push)
    works = []
    for length in (2_000, 4_000):
        pushed = 0
        tokens.count("ab" * length)
        works.append(pushed)
    assert works[1] <= 2.2 * works[0]


@functools.cache
def _landscape() -> Path:
    return package("promptc_runtime") / "models" / "landscape" / "tokenizer" / "tokenizer.json"


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(_SCRIPTS, max_size=24), st.sampled_from(NASTY)))
def test_the_tokenizer_of_a_model_folder(text: str) -> None:
    pytest.importorskip("transformers")
    if not _landscape().exists():
        pytest.skip("the embedded model is not there")
    assert [token.id for token in tokens.encode(text, tokens.from_file(_landscape()))] == theirs(_folder(), text)


@functools.cache
def _folder() -> Any:
    from transformers import CLIPTokenizer

    return CLIPTokenizer.from_pretrained(_landscape().parent, local_files_only=True)


@pytest.mark.parametrize(
    "data",
    ["", "[]", "{}", '{"model": {"type": "Unigram"}}', '{"model": {"vocab": {}, "merges": []}, "normalizer": null}'],
)
def test_another_tokenizer_is_refused(tmp_path: Path, data: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(data)
    with pytest.raises(tokens.NotClip, match="no tokenizer of CLIP's kind"):
        tokens.from_file(path)
