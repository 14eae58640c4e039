"""The grammar and its tables."""

import json
import subprocess
import sys
from typing import Any

import lark
import pytest

from promptc.parse import grammar
from promptc.parse.lexer import tokens


def test_the_tables_are_up_to_date() -> None:
    """If not: `python -m promptc.parse.grammar`."""
    stored = json.loads(grammar._read("promptc.json"))
    assert stored["grammar"] == grammar.digest()


def test_tables_made_now_have_the_same_size() -> None:
    made = json.loads(grammar.tables())
    stored = json.loads(grammar._read("promptc.json"))

    def count(data: dict[str, Any]) -> tuple[int, int]:
        states = data["data"]["parser"]["parser"]["states"]
        return len(states), sum(len(actions) for actions in states.values())

    if made["lark"] == stored["lark"]:
        assert count(made) == count(stored)


def test_tables_of_another_lark_are_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lark, "__version__", "0")
    text = "a (fog:1.3) {b|c} AND d --ar 3:2"
    anew = grammar.load()
    monkeypatch.undo()
    assert anew.parse(grammar.Input(text, False)) == grammar.load().parse(grammar.Input(text, False))


def test_every_terminal_can_occur() -> None:
    text = "# c\na (b:1) [c] [d:e:1] [f|g] {h|i} {} {{j}} {k} <l:m:1> __n__ \\( BREAK ) AND o :2 --p q"
    states = json.loads(grammar._read("promptc.json"))["data"]["parser"]["parser"]
    declared = {name for name in states["tokens"].values() if name.isupper() and name != "$END"}
    assert {token.type for token in tokens(text, True)} == declared


def test_the_module_brings_in_no_parser_before_it_parses() -> None:
    code = "import sys, promptc.parse; assert 'lark' not in sys.modules; promptc.parse.parse('a'); assert 'lark' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
