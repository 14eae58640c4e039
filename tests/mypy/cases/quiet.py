"""What is not certain is no error."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from promptc import Template, prompt
from promptc.template import BaseTemplate, PromptFunction
from pydantic import BaseModel, ConfigDict

V = TypeVar("V")


def build(text: str, context: Any, n: int) -> None:
    prompt(text)(anything=1)
    prompt("a " + text)(anything=1)
    prompt(f"a {n}")(anything=1)
    Template[Any]("{anything}")
    Template[dict[str, str]]("{anything}")
    prompt.file(text)(anything=1)
    make = prompt
    make("{x}")(x="1")
    partial(prompt, "{x}")()(x="1")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    subject: str


class Odd(Any):  # type: ignore[misc]
    subject: str


class Dynamic:
    def __getattr__(self, name: str) -> str:
        return name


@dataclass
class Holder(Generic[V]):
    value: V


Template[Open]("{anything}")
Template[Odd]("{anything}")
Template[Dynamic]("{anything}")
Template[Holder[int]]("{value}")
templates: list[BaseTemplate] = [prompt("{a}"), prompt("{b: int}")]
functions: list[PromptFunction[...]] = [prompt("{a}"), prompt("{b: int}")]
for each in functions:
    each(a="1")
