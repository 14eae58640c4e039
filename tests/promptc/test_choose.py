"""Choices: counted, listed, drawn by a seed, and made again from picks."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc import choose
from promptc.bind import fill
from promptc.choose import ChoiceError, TooManyError, count, draw, expand, expand_picks, factors, resolve, sample
from promptc.meaning import meaning
from promptc.parse import parse
from promptc.tree import Choice, Node, Wildcard
from promptc.walk import print_tree as text_of
from promptc.wildcards import Wildcards

CASES = json.loads((Path(__file__).parents[1] / "cases" / "expand" / "prompts.json").read_text("utf-8"))

Folder = Callable[[dict[str, str]], Wildcards]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    def make(files: dict[str, str]) -> Wildcards:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return Wildcards([tmp_path])

    return make


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"]) for case in CASES])
def test_cases(case: dict[str, Any], folder: Folder) -> None:
    root, wildcards = parse(case["text"]), folder(case.get("wildcards", {}))
    assert [text_of(one) for one in expand(root, wildcards)] == case["prompts"]
    assert count(root, wildcards) == len(case["prompts"])
    for one, picks in expand_picks(root, wildcards):
        assert resolve(root, json.loads(json.dumps(picks)), wildcards) == one
    for seed in range(10):
        (drawn,) = sample(root, seed, 1, wildcards)
        assert text_of(drawn) in case["prompts"]
        assert resolve(root, draw(root, seed, wildcards), wildcards) == drawn


def chosen(node: Node) -> bool:
    return isinstance(node, Choice | Wildcard) or any(map(chosen, getattr(node, "parts", ())))


_WORD = st.sampled_from(["red", "blue ", "a", "", "(b:1.2)", "[c:d:3]"])


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    options = st.lists(st.one_of(_WORD, inner), min_size=1, max_size=3)
    head = st.sampled_from(["", "2$$", "0-1$$", "1-2$$", "1-3$$ and $$"])
    return st.builds(lambda head, options: f"{{{head}{'|'.join([*options, 'z'])}}}", head, options)


_PROMPT = st.lists(st.one_of(_WORD, st.recursive(_grow(_WORD), _grow, max_leaves=4)), min_size=1, max_size=3).map(
    " ".join
)


@settings(max_examples=150, deadline=None)
@given(_PROMPT, st.integers(0, 1000))
def test_the_count_is_the_length_of_the_list(text: str, seed: int) -> None:
    root = parse(text)
    total = count(root)
    if total > 400:
        assert len(list(itertools.islice(expand(root, limit=None), 400))) == 400
        return
    every = [(text_of(one), picks) for one, picks in expand_picks(root, limit=None)]
    assert len(every) == total
    assert len({json.dumps(picks) for _, picks in every}) == total, "no two prompts have the same picks"
    (drawn,) = sample(root, seed)
    assert not chosen(drawn)
    assert (text_of(drawn), draw(root, seed)) in every


def test_counting_enumerates_nothing() -> None:
    assert count(parse(" ".join(["{a|b}"] * 1000))) == 2**1000
    assert count(parse("{20$$" + "|".join("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") + "}")) == _perm(
        52, 20
    )
    assert count(parse("{1-3$$" + "|".join(["{a|b}"] * 50) + "}")) == sum(_perm(50, k) * 2**k for k in (1, 2, 3))


def _perm(n: int, k: int) -> int:
    found = 1
    for each in range(n, n - k, -1):
        found *= each
    return found


def test_a_wide_choice() -> None:
    root = parse("{" + "|".join(map(str, range(20_000))) + "}")
    assert count(root) == 20_000
    assert text_of(next(iter(sample(root, 3)))).isdigit()


def test_the_list_is_lazy() -> None:
    prompts = expand(parse(" ".join(["{a|b|c}"] * 300)), limit=None)
    assert text_of(next(prompts)) == " ".join("a" * 300)
    assert text_of(next(prompts)) == " ".join("a" * 299 + "b")


def test_too_many_show_their_product(folder: Folder) -> None:
    files = {"object.txt": "\n".join(f"o{n}" for n in range(20)), "place.txt": "\n".join(f"p{n}" for n in range(30))}
    root, wildcards = parse("__object__ __place__"), folder(files)
    assert count(root, wildcards) == 600
    assert factors(root, wildcards) == [20, 30]
    with pytest.raises(TooManyError, match=r"600 prompts \(20 x 30\), and the limit is 256"):
        expand(root, wildcards)
    assert len(list(expand(root, wildcards, limit=600))) == 600


def test_a_number_nobody_would_read_is_shortened() -> None:
    with pytest.raises(TooManyError, match=r"about 10\^301 prompts"):
        expand(parse(" ".join(["{a|b}"] * 1001)))


PINNED = {
    "{red|blue|green} {a|b}": ["blue a", "blue b", "green a", "blue a", "red a", "red b"],
    "{2$$a|b|c|d}": ["c, a", "b, d", "c, d", "a, c", "d, b", "d, b"],
    "{3::red|blue} {1-3$$ and $$x|y|{z|w}}": ["red w", "red y", "red w and x", "red x", "red y", "red w"],
}


@pytest.mark.parametrize("text", PINNED)
def test_a_seed_gives_the_same_prompt_everywhere(text: str) -> None:
    """Written down once: no platform and no version of Python may give another."""
    assert [text_of(one) for one in sample(parse(text), 0, 6)] == PINNED[text]


def test_the_place_in_a_batch_does_not_count() -> None:
    root = parse("{red|blue} rose, {a|b|c|d}")
    batch = [text_of(one) for one in sample(root, 40, 10)]
    assert batch == [text_of(next(iter(sample(root, seed)))) for seed in range(40, 50)]


def test_a_bound_value_moves_no_choice() -> None:
    root = parse("{red|blue|green} {name: str = x} {a|b|c}")
    for seed in range(20):
        picks = {str(draw(fill(root, {"name": value}), seed)) for value in ("x", "y", "{z|w}")}
        assert picks == {str(draw(root, seed))}


def test_choices_are_apart_from_one_another() -> None:
    root = parse("{a|b} {a|b} {a|b}")
    assert len({text_of(one) for one in sample(root, 0, 64)}) == 8


def test_weights_are_shares() -> None:
    root = parse("{3::red|blue|0::never}")
    drawn = Counter(text_of(one) for one in sample(root, 0, 2000))
    assert drawn["never"] == 0
    assert 0.70 < drawn["red"] / 2000 < 0.80
    assert count(root) == 3, "a weight changes how often, not how many"


def test_small_weights_are_exact() -> None:
    root = parse("{0.1::a|0.2::b|0.3::c}")
    weights = [choose._weight(one.weight) for one in root.branches[0].body[0].options]  # type: ignore[union-attr]
    assert [str(weight) for weight in weights] == ["1/10", "1/5", "3/10"]


def test_numbers_by_chance_are_fair() -> None:
    chance = choose._Chance(7, b"x")
    drawn = Counter(chance.below(6, str(n)) for n in range(6000))
    assert set(drawn) == set(range(6))
    assert all(850 < times < 1150 for times in drawn.values())
    assert 0 <= chance.below(10**60, "wide") < 10**60


@pytest.mark.parametrize(
    ("text", "picks"),
    [
        ("{a|b}", []),
        ("{a|b}", [2]),
        ("{a|b}", [-1]),
        ("{a|b}", [0, 0]),
        ("{a|b}", [[0]]),
        ("{2$$a|b|c}", [0]),
        ("{2$$a|b|c}", [[0]]),
        ("{2$$a|b|c}", [[1, 1]]),
        ("no choice", [0]),
    ],
)
def test_picks_that_do_not_fit_are_refused(text: str, picks: Any) -> None:
    with pytest.raises(ChoiceError):
        resolve(parse(text), picks)


@pytest.mark.parametrize("text", ["{0::a|0::b}", "{3$$a|b}"])
def test_nothing_to_pick(text: str) -> None:
    with pytest.raises(ChoiceError):
        draw(parse(text), 0)


def test_more_than_there_are_is_no_prompt() -> None:
    assert count(parse("{3$$a|b}")) == 0
    assert list(expand(parse("{3$$a|b}"))) == []


def test_picked_nodes_keep_their_places() -> None:
    root = resolve(parse("a {b|(c:1.2)} d"), [1])
    assert [(node.start, node.end) for node in root.branches[0].body] == [(0, 2), (5, 12), (13, 15)]


def test_nodes_of_an_entry_stand_where_the_wildcard_does(folder: Folder) -> None:
    root = resolve(parse("a __x__ d"), [1], folder({"x.txt": "no\n(fog:1.2) and more"}))
    assert {(node.start, node.end) for node in root.branches[0].body} == {(0, 2), (2, 7), (7, 9)}


def test_escapes_are_resolved_once_however_deep_they_stand() -> None:
    text = r"rune \(old\)"
    for deeper in ("{X|X}", "{{y|X}|X}", "{2$$X|X}"):
        for root in expand(parse(deeper.replace("X", text))):
            for part, weight in meaning(root, 20).branches[0].segments[0].parts[0]:
                assert weight == 1
                assert part in ("rune (old)", "rune (old), rune (old)", "y")


def test_an_option_may_hold_an_escaped_bar() -> None:
    roots = expand(parse(r"{blue|\|_\|}"))
    assert [meaning(root, 20).branches[0].segments[0].parts[0][0][0] for root in roots] == ["blue", "|_|"]
