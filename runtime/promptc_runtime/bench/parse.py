"""Row `parse`: prompts parsed and checked in a second, beside a bare bracket grammar and what others use.

The baseline is the least that a parser of this kind can do: a Lark LALR grammar of nothing but brackets, with a lexer of
its own over one regular expression. It knows no weights, names or mistakes.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence

from promptc.check import check
from promptc.parse import parse
from promptc.source import Fragment, Source
from promptc_runtime.bench import BenchResult

COUNT = 2000
LENGTH = 450
BUDGET = 4.0
"""Seconds that a slow parser gets."""

_CHUNK = 50
_WORDS = re.findall(
    r"\w+",
    "ancient harbour fog lantern copper roof quiet river stone bright paper evening light detailed film grain wide "
    "shot portrait sailor snow over the under a of with distant hills at dawn linen coat green glass door rain",
)


def prompts(count: int = COUNT, seed: int = 1) -> tuple[list[str], list[str]]:
    """Plain and marked-up prompts of about 450 characters, the same for the same seed."""
    chance = random.Random(seed)
    return (
        [_prompt(chance, marked=False) for _ in range(count // 2)],
        [_prompt(chance, marked=True) for _ in range(count // 2)],
    )


def _prompt(chance: random.Random, marked: bool) -> str:
    pieces: list[str] = []
    while sum(map(len, pieces)) < LENGTH - 15:
        text = _some(chance, 1, 3)
        shape = chance.randrange(9) if marked else 9
        match shape:
            case 0 | 1:
                text = f"({text}:{chance.randint(5, 15) / 10})"
            case 2:
                text = f"(({text}))"
            case 3:
                text = f"[{text}]"
            case 4:
                text = f"[{text}:{_some(chance, 1, 2)}:{chance.randint(1, 9) / 10}]"
            case 5:
                text = f"{{{text}|{_some(chance, 1, 2)}|{_some(chance, 1, 2)}}}"
            case _:
                text = _some(chance, 4, 9)
        pieces.append(text + ", ")
    return "".join(pieces).rstrip(", ")


def _some(chance: random.Random, low: int, high: int) -> str:
    return " ".join(chance.choice(_WORDS) for _ in range(chance.randint(low, high)))


_GRAMMAR = """
start: item*
?item: TEXT | round | square | brace | tag
round: "(" item* ")"
square: "[" item* "]"
brace: "{" item* "}"
tag: "<" item* ">"
%declare TEXT
"""
_TOKENS = re.compile(r"[()\[\]{}<>]|[^()\[\]{}<>]+")
_NAMES = {
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    "{": "LBRACE",
    "}": "RBRACE",
    "<": "LESSTHAN",
    ">": "MORETHAN",
}


def bare() -> Callable[[str], object]:
    """The bare bracket grammar."""
    from lark import Lark, Token
    from lark.lexer import Lexer

    class Brackets(Lexer):
        def __init__(self, _conf: object) -> None:
            pass

        def lex(self, data: str) -> Iterator[Token]:  # type: ignore[override]
            for found in _TOKENS.finditer(data):
                text = found.group()
                yield Token(_NAMES.get(text, "TEXT"), text, found.start(), end_pos=found.end())

    return Lark(_GRAMMAR, parser="lalr", lexer=Brackets).parse


def _dynamicprompts() -> Callable[[str], object]:
    from dynamicprompts.parser.parse import parse

    def read(text: str) -> object:
        return parse(text)

    return read


def _compel() -> Callable[[str], object]:
    from compel.prompt_parser import PromptParser

    read: Callable[[str], object] = PromptParser().parse_conjunction
    return read


_OTHERS: dict[str, Callable[[], Callable[[str], object]]] = {"dynamicprompts": _dynamicprompts, "compel": _compel}


def _check(text: str) -> object:
    source = Source("prompt", text)
    return check(Fragment(source, text))


def rates(workers: dict[str, Callable[[str], object]], texts: Sequence[str]) -> dict[str, float]:
    """Prompts a second of each worker. They take turns, so that a busy machine is busy for all of them."""
    spent = dict.fromkeys(workers, 0.0)
    for work in workers.values():
        for text in texts[:20]:
            work(text)
    for at in range(0, len(texts), _CHUNK):
        for name, work in workers.items():
            start = time.process_time()
            for text in texts[at : at + _CHUNK]:
                work(text)
            spent[name] += time.process_time() - start
    return {name: len(texts) / max(each, 1e-9) for name, each in spent.items()}


def _within(budget: float, work: Callable[[str], object], texts: Sequence[str]) -> float:
    """Prompts a second on as many texts as the budget allows."""
    start = time.process_time()
    done = 0
    for text in texts:
        try:
            work(text)
        except Exception as error:  # another tool's refusal of a text is an answer too
            del error
        done += 1
        if time.process_time() - start > budget:
            break
    return done / max(time.process_time() - start, 1e-9)


def run() -> BenchResult:
    plain, marked = prompts()
    workers = {"bare grammar": bare(), "parse": parse, "parse and check": _check}
    details: dict[str, float | str] = {}
    measured: dict[str, float] = {}
    for kind, texts in (("plain", plain), ("marked up", marked)):
        measured = rates(workers, texts)
        details |= {f"{name}, {kind}": round(rate, 1) for name, rate in measured.items()}
    for name, load in _OTHERS.items():
        try:
            work = load()
        except ImportError as error:
            details[name] = f"not measured: {error.name} is not installed"
            continue
        for kind, texts in (("plain", plain), ("marked up", marked)):
            details[f"{name}, {kind}"] = round(_within(BUDGET, work, texts), 1)
    baseline, ours = measured["bare grammar"], measured["parse and check"]
    details["parse alone over the bare grammar, marked up"] = round(measured["parse"] / baseline, 3)
    return BenchResult("parse", baseline, ours, ours / baseline, None, "prompts/s", details)
