"""`Template[Context]("…")`: an unknown placeholder is an error inside the literal."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, NotRequired, TypedDict

import promptc as p
from promptc import Template
from pydantic import BaseModel, Field
from reexport import Card


class Mood(Enum):
    CALM = "calm"
    STORMY = "stormy"


class Base(BaseModel):
    subject: str


class Portrait(Base):
    mood: Mood = Mood.CALM
    age: Annotated[int, Field(ge=0)] = 30
    limit: ClassVar[int] = 3
    _private: int = 0

    @property
    def title(self) -> str:
        return self.subject.title()

    def method(self) -> str:
        return ""


card = Template[Portrait]("portrait of {subject}, {mood} {age} {title}")
card(Portrait(subject="a sailor"))
card("a sailor")  # E: 6 Argument 1 to "__call__" of "Template" has incompatible type "str"; expected "Portrait" [arg-type]
card()  # E: 1 Missing positional argument "context" in call to "__call__" of "Template" [call-arg]
Template[Portrait]("a {subjct}")  # E: 24 E0931 unknown placeholder `subjct`; did you mean `{subject}`? [promptc-placeholder]
Template[Portrait]("é雾 \u00e9 \N{BULLET} {subjct}")  # E: 43 E0931 unknown placeholder `subjct`; did you mean `{subject}`? [promptc-placeholder]
Template[Portrait](r"raw \(b\) {subjct}")  # E: 33 E0931 unknown placeholder `subjct`; did you mean `{subject}`? [promptc-placeholder]
Template[Portrait](
    "one {subject}, "  # a comment
    "two {limit} {method}"  # E: 11 E0931 unknown placeholder `limit`; `Portrait` declares subject, mood, age, title; declare it, or write `{{limit}}` for the braces themselves [promptc-placeholder]  # E: 19 E0931 unknown placeholder `method`; `Portrait` declares subject, mood, age, title; declare it, or write `{{method}}` for the braces themselves [promptc-placeholder]
)
Template[Portrait]("""
    three {subjct}
""")  # E-1: 12 E0931 unknown placeholder `subjct`; did you mean `{subject}`? [promptc-placeholder]
Template[Portrait]("""
    four {subjct}
""")  # type: ignore[promptc-placeholder]
p.Template[Portrait]("{nothing}")  # E: 24 E0931 unknown placeholder `nothing`; `Portrait` declares subject, mood, age, title; declare it, or write `{{nothing}}` for the braces themselves [promptc-placeholder]
Template[Portrait](text="{nothing}")  # E: 27 E0931 unknown placeholder `nothing`; `Portrait` declares subject, mood, age, title; declare it, or write `{{nothing}}` for the braces themselves [promptc-placeholder]
FIVE: Final = "five {subjct}"
Template[Portrait](FIVE)  # E: 20 E0931 unknown placeholder `subjct`; did you mean `{subject}`? [promptc-placeholder]


@dataclass
class Data:
    subject: str
    tags: list[str] = field(default_factory=list)


Template[Data]("{subject} {tags} {tag}")  # E: 35 E0931 unknown placeholder `tag`; did you mean `{tags}`? [promptc-placeholder]


class Mine(Template[Data]):
    pass


Mine("{subject} {tag}")  # E: 18 E0931 unknown placeholder `tag`; did you mean `{tags}`? [promptc-placeholder]
Card[Data]("{subject} {tag}")  # E: 24 E0931 unknown placeholder `tag`; did you mean `{tags}`? [promptc-placeholder]


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


Template[Movie]("{title} {year} {tilte}")  # E: 34 E0931 unknown placeholder `tilte`; did you mean `{title}`? [promptc-placeholder]


class Pair(NamedTuple):
    first: str
    second: float


Template[Pair]("{first} (fog:{second}) {third}")  # E: 41 E0931 unknown placeholder `third`; `Pair` declares first, second; declare it, or write `{{third}}` for the braces themselves [promptc-placeholder]
Template[Pair]("(fog:{first}")  # E: 17 E1001 this `(` is not closed; close it with `)`, or write `\(` for the bracket itself [promptc]
Template[Data]("{subject} (fog")  # E: 27 E1001 this `(` is not closed; close it with `)`, or write `\(` for the bracket itself [promptc]
