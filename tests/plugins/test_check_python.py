"""`promptc check` on Python sources: findings stand inside the literals, and fixes keep them literals."""

import ast
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptc.check import apply_fixes
from promptc.files import load
from promptc.findings import findings
from promptc.report import Finding
from promptc.settings import Settings


def check(text: str, path: str = "case.py", root: Path | None = None) -> list[Finding]:
    return findings(load(text.encode("utf-8", "surrogatepass"), path, root=root), Settings())


def shown(text: str, path: str = "case.py", root: Path | None = None) -> list[tuple[str, str, str]]:
    """Code, line and column, and the source under the primary span of each finding."""
    result = []
    for source, one in check(text, path, root):
        place = source.position(one.span.start)
        result.append((one.code, f"{place.line}:{place.column}", source.text[one.span.start : one.span.end]))
    return result


HEAD = "from promptc import prompt\n"


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ('"a {x"', [("E0921", "2:15", "{")]),
        (r'"\u00e9 \N{BULLET} {x"', [("E0921", "2:31", "{")]),
        (r'r"\( {x"', [("E0921", "2:17", "{")]),
        (r'"é雾 \x7bx"', [("E0921", "2:16", r"\x7b")]),
        ('"one {a}, "  # note\n    "two {b"', [("E0921", "3:10", "{")]),
        ('"""\n  one\n\ttwo {b\n"""', [("E0921", "4:6", "{")]),
    ],
)
def test_a_finding_stands_at_the_character_it_means(literal: str, expected: list[tuple[str, str, str]]) -> None:
    assert shown(f"{HEAD}x = prompt({literal})\n") == expected


def test_an_unknown_placeholder_is_no_field(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text(
        "from pydantic import BaseModel\nclass Card(BaseModel):\n    subject: str\n    paper: str\n"
    )
    text = "from models import Card\nfrom promptc import Template\nTemplate[Card]('a {subjct}')\n"
    assert shown(text, str(tmp_path / "use.py"), tmp_path) == [("E0931", "3:20", "subjct")]


def test_a_field_that_a_prompt_leaves_out_is_no_fault() -> None:
    text = "from promptc import Template\nfrom typing import NamedTuple\nclass C(NamedTuple):\n    a: str\n    b: str\nTemplate[C]('a {a}')\n"
    assert shown(text) == []


def test_an_unused_parameter_of_a_function_is_said_at_its_declaration() -> None:
    text = f'{HEAD}@prompt.function\ndef scene(subject: str, paper: str) -> object:\n    """a {{subject}}"""\n'
    assert shown(text) == [("W0932", "3:25", "paper")]


def test_types_of_a_signature_count() -> None:
    text = (
        "from typing import Annotated, Literal\nfrom annotated_types import Gt\n"
        f'{HEAD}@prompt.function\ndef scene(mood: Literal["calm"], w: float) -> object:\n    """(fog:{{mood}}) (sun:{{w}})"""\n'
    )
    assert [(code, place) for code, place, _ in shown(text)] == [("E0933", "6:13")]


def test_a_field_of_an_unknown_type_is_checked_against_nothing() -> None:
    text = f'{HEAD}@prompt.function\ndef scene(a: "Whatever", b, c: list[int]) -> object:\n    """{{a}} (fog:{{b}}) --seed {{c}}"""\n'
    assert shown(text) == []


@pytest.mark.parametrize(
    ("literal", "fixed"),
    [
        ('"a fox \u2014ar 4:5"', '"a fox --ar 4:5"'),
        (r'"a fox \u2014ar 4:5"', '"a fox --ar 4:5"'),
        ('r"a fox \u2014ar 4:5"', 'r"a fox --ar 4:5"'),
        ('("a fox "  # note\n "\u2014ar 4:5")', '("a fox "  # note\n "--ar 4:5")'),
    ],
)
def test_a_safe_fix_changes_the_literal_and_nothing_else(literal: str, fixed: str) -> None:
    text = f"{HEAD}x = [ prompt({literal}) ]  # kept\n"
    assert apply_fixes(text, [one for _, one in check(text)]) == f"{HEAD}x = [ prompt({fixed}) ]  # kept\n"


PIECES = [
    "{",
    "}",
    "{a}",
    "{A b}",
    "(",
    ")",
    "(fog:1..2)",
    "—ar 4:5",
    "--ar 4;5",
    "[a:b:0]",
    "\\",
    "\\n",
    "\\u2014",
    "é",
    "'",
    " ",
    "\n",
    "<lora:x>",
    "{a|b",
    "__",
    "C#",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(["'''", '"""', 'r"""', "'", 'r"']))
@settings(max_examples=150, deadline=None)
def test_every_fix_leaves_the_literal_that_it_means(pieces: list[str], opened: str) -> None:
    quote = opened.lstrip("r")
    text = f"{HEAD}prompt({opened}{''.join(pieces)}{quote})\n"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError:
        return
    for source, one in check(text):
        assert 0 <= one.span.start <= one.span.end <= len(source.text)
        for fix in one.fixes:
            changed = apply_fixes(
                text,
                [one.__class__(one.code, one.name, one.severity, one.message, one.span, fixes=(fix,))],
                unsafe=True,
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(changed)
            assert changed.startswith(f"{HEAD}prompt({opened}")
            assert changed.endswith(f"{quote})\n")
