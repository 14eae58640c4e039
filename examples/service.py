"""A picture service as one would write it: the prompts are checked long before a request comes in.

python examples/service.py OUT
"""

import sys
from dataclasses import dataclass
from typing import Literal

import promptc
from promptc import Template, prompt

Hour = Literal["dawn", "noon", "sunset", "dusk", "night"]


@dataclass
class Card:
    """What a request brings along."""

    place: str
    hour: Hour = "dusk"
    color: str = "purple"


# `{colour}` here would be an error inside this literal, from `promptc check` and from mypy.
card = Template[Card]("{place}, {hour}, {color} sky --model landscape --seed 1")

banner = prompt("a view of {place}, (stars:{stars: float[0..2] = 1.0}) --ar 2:1 --model landscape --seed 2")


@prompt.function  # makes it a function that returns a Prompt; its own body is the text alone
def poster(place: str, hour: Hour = "noon") -> None:
    """flat poster, {place}, {hour}, (a large sun:1.2) --ar 3:4 --model landscape --seed 4"""


def main(out: str) -> None:
    plan = promptc.compile(
        [
            card(Card("snowy mountains")),
            banner(place="dunes", stars=1.3),
            poster("hills"),
        ]
    )
    result = promptc.run(plan, out=out)
    for file in result.files:
        print(file)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out")
