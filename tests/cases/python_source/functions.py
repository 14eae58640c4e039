"""`@prompt.function`: the signature is the context, the docstring without its margin is the prompt."""

from typing import Annotated, Literal

import promptc
from annotated_types import Gt
from promptc import Prompt, prompt


@prompt.function
def scene(subject: str, hour: Literal["dawn", "night"] = "dawn") -> Prompt:
    """{subject} at {hour}, wide shot --ar 16:9"""


@promptc.prompt.function
def long(subject: str, /, *, weight: Annotated[float, Gt(0)] = 1.1, **rest: str) -> Prompt:
    """
    portrait of {subject},
      # indented
	tab (fog:{weight})
    """
    raise NotImplementedError


@prompt.function
async def raw(name: str) -> Prompt:
    r'a \(b\) {name}'


class Studio:
    @prompt.function
    def shot(self, what: str) -> Prompt:
        "{what}"

    @staticmethod
    @prompt.function
    def still(what: str) -> Prompt:
        "{what}"


@prompt.function
def bare(subject: str) -> Prompt: ...


@prompt.function
def filled(subject: str) -> Prompt:
    f"""{subject}"""
#> function comments 12:8-12:48 '{subject} at {hour}, wide shot --ar 16:9'
#>   scene(subject: str; hour: "dawn" | "night" = "dawn")
#> function comments 18:5-20:20 'portrait of {subject},\n  # indented\n    tab (fog:{weight})'
#>   long (incomplete)(subject: str; weight: float[4.94066e-324..] = 1.1)
#> function comments 27:7-27:21 'a \\(b\\) {name}'
#>   raw(name: str)
#> function comments 33:10-33:16 '{what}'
#>   shot(what: str)
#> function comments 38:10-38:16 '{what}'
#>   still(what: str)
#> error E0943 42:5-42:9
#> error E0943 46:5-46:11
