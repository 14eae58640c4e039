"""Every construct of the language as a case: a text, and its tree as one line.

After a change that is meant, `python tests/promptc/test_parse.py` writes the trees anew; read the difference.
"""

import json
import re
from pathlib import Path

import pytest
import yaml

from promptc.parse import parse
from promptc.tree import Emphasis, Number
from tests.promptc.tree_dump import dump

FOLDER = Path(__file__).parent.parent / "cases" / "parse"
FILES = sorted(FOLDER.glob("*.yaml"))
CASES = [
    pytest.param(case, id=f"{path.stem}:{number}")
    for path in FILES
    for number, case in enumerate(yaml.safe_load(path.read_text("utf-8")))
]


@pytest.mark.parametrize("case", CASES)
def test_tree(case: dict[str, str]) -> None:
    assert dump(parse(case["input"], comments=bool(case.get("comments")))) == case["tree"]


def test_values_of_numbers() -> None:
    def weight(text: str) -> float | None:
        (emphasis,) = parse(f"(fog:{text})").branches[0].body
        assert isinstance(emphasis, Emphasis)
        assert isinstance(emphasis.weight, Number)
        return emphasis.weight.value

    assert [weight(text) for text in ("1.3", "-1", "+.5", "1.", "007")] == [1.3, -1.0, 0.5, 1.0, 7.0]
    assert [weight(text) for text in ("1.2.3", "nan", "inf", "1e2", "1,2", "50%", "abc", "9" * 400)] == [None] * 8


def test_a_percentage_is_a_fraction() -> None:
    (switch,) = parse("[a:b:50%]").branches[0].body
    assert switch.when.value == 0.5  # type: ignore[union-attr]


def test_a_count_alone_is_both_bounds() -> None:
    (choice,) = parse("{2$$a|b}").branches[0].body
    assert choice.low is choice.high  # type: ignore[union-attr]


def test_empty_parts_have_their_place() -> None:
    (choice,) = parse("{a||b}").branches[0].body
    assert [(option.start, option.end) for option in choice.options] == [(1, 2), (3, 3), (4, 5)]  # type: ignore[union-attr]
    (network,) = parse("<lora:x:>").branches[0].body
    assert (network.arguments[0].start, network.arguments[0].end) == (8, 8)  # type: ignore[union-attr]


def test_an_empty_branch_has_its_place() -> None:
    assert [(branch.start, branch.end) for branch in parse("a AND").branches] == [(0, 2), (5, 5)]


def _update() -> None:
    for path in FILES:
        text = path.read_text("utf-8")
        cases = iter(yaml.safe_load(text))

        def renew(_: re.Match[str], cases: "object" = cases) -> str:
            case = next(cases)  # type: ignore[call-overload]
            tree = dump(parse(case["input"], comments=bool(case.get("comments"))))
            return f"  tree: {json.dumps(tree, ensure_ascii=False)}"

        path.write_text(re.sub(r"^  tree: .*$", renew, text, flags=re.M), "utf-8")


if __name__ == "__main__":
    _update()
