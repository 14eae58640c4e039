"""The work of a check grows with the prompt and no faster. Counted, not timed: see `test_parse_linear`."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from promptc.check import check
from promptc.source import Fragment, Source


def work(text: str) -> int:
    """Calls of functions while a text is checked, resumed generators included."""
    fragment = Fragment(Source("x.prompt", text), text, comments=True)
    count = 0

    def tick(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        check(fragment)
    finally:
        sys.setprofile(None)
    return count


SHAPES: dict[str, Callable[[int], str]] = {
    "open brackets": lambda n: "(" * n,
    "open tags": lambda n: "<lora:x " * n,
    "choices": lambda n: "{" + "|".join(f"a{at}" for at in range(n)) + "}",
    "picks of several": lambda n: "{a|b} " * n,
    "placeholders": lambda n: " ".join(f"{{p{at}}}" for at in range(n)),
    "one placeholder": lambda n: "{p: int} " * n,
    "bad weights": lambda n: "(fog:1.2.3) " * n,
    "suppressions": lambda n: "# promptc: ignore[E0921]\na}\n" * n,
    "useless suppressions": lambda n: "# promptc: ignore[E1001]\na}\n" * n,
    "schedules": lambda n: "[a:b:0.5] " * n,
    "branches": lambda n: "a :1.2 AND " * n,
    "negatives": lambda n: "a " + "--no x " * n,
    "one long line": lambda n: "word, " * n,
}


@pytest.mark.parametrize("name", SHAPES)
def test_four_times_the_prompt_is_four_times_the_work(name: str) -> None:
    shape = SHAPES[name]
    work(shape(2))  # what is loaded once
    small, large = work(shape(150)), work(shape(600))
    assert large < 5 * small
