"""The LALR tables: built from the grammar by `python -m promptc.parse.grammar`, loaded from the package at run time."""

import json
import pkgutil
from collections.abc import Iterator
from typing import NamedTuple

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

from promptc.parse import build
from promptc.parse.lexer import Token, tokens

_GRAMMAR, _TABLES = "promptc.lark", "promptc.json"


def _read(name: str) -> bytes:
    data = pkgutil.get_data("promptc_grammar", name)
    assert data is not None
    return data


class Input(NamedTuple):
    """What Lark is asked to parse."""

    text: str
    comments: bool


class PromptLexer(Lexer):
    """The lexer that Lark calls."""

    def __init__(self, _conf: object) -> None:
        pass

    def lex(self, data: Input) -> Iterator[Token]:  # type: ignore[override]
        return iter(tokens(data.text, data.comments))


def load() -> Lark:
    """The parser, from the tables in the package.

    Tables are Lark's own business: another version of Lark than the one that made them builds them anew.
    """
    stored = json.loads(_read(_TABLES))
    if stored["lark"] != lark.__version__:
        return _build()
    data, memo = stored["data"], stored["memo"]
    # JSON has texts as keys where Lark counts in numbers, and knows no classes.
    table = data["parser"]["parser"]
    table["states"] = {
        int(state): {int(token): action for token, action in actions.items()}
        for state, actions in table["states"].items()
    }
    table["tokens"] = {int(number): name for number, name in table["tokens"].items()}
    data["options"]["lexer"] = data["parser"]["lexer_conf"]["lexer_type"] = PromptLexer
    loaded: Lark = Lark._load_from_dict(data, {int(key): rule for key, rule in memo.items()}, transformer=build)  # type: ignore[no-untyped-call]
    return loaded


def _build() -> Lark:
    return Lark(
        _read(_GRAMMAR).decode("utf-8"),
        parser="lalr",
        lexer=PromptLexer,
        start="root",
        keep_all_tokens=True,
        transformer=build,
    )


def digest() -> str:
    """What the tables were made from: Lark numbers its states anew each time, so tables cannot be compared."""
    import hashlib

    return hashlib.sha256(_read(_GRAMMAR).replace(b"\r\n", b"\n")).hexdigest()


def tables() -> str:
    """The tables of the grammar as it stands, as text."""
    data, memo = _build().memo_serialize([TerminalDef, Rule])
    data["options"] = {**data["options"], "lexer": "", "transformer": None}
    data["parser"]["lexer_conf"]["lexer_type"] = ""
    made = {"lark": lark.__version__, "grammar": digest(), "data": data, "memo": memo}
    return json.dumps(made, separators=(",", ":"), sort_keys=True) + "\n"


if __name__ == "__main__":
    from pathlib import Path

    import promptc_grammar

    assert promptc_grammar.__file__ is not None
    Path(promptc_grammar.__file__).with_name(_TABLES).write_text(tables(), "utf-8")
