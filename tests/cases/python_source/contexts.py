"""The context of a template: every kind of class that promptc reads."""

import dataclasses
import typing as t
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import Annotated, ClassVar, Final, Generic, Literal, NamedTuple, NotRequired, Optional, TypedDict, TypeVar

import attrs
from annotated_types import Ge, Interval, Le
from elsewhere import Unknown
from promptc import Image, Ratio, Template
from pydantic import BaseModel, Field, computed_field


class Mood(Enum):
    CALM = "calm"
    STORMY = "stormy"


class Hour(StrEnum):
    DAWN = auto()
    NIGHT = auto()


Age = Annotated[int, Ge(0), Le(120)]
V = TypeVar("V")


class Base(BaseModel):
    subject: str


class Model(Base):
    age: Age = 30
    mood: Mood = Mood.CALM
    hour: "Hour"
    size: Literal["S", "M"] | None = None
    weight: float = Field(1.0, ge=0, le=2)
    steps: int = Field(default=..., gt=0)
    tags: list[str] = Field(default_factory=list)
    picture: Image
    ratio: Ratio
    limit: ClassVar[int] = 3
    _private: int = 0

    @computed_field
    @property
    def title(self) -> str:
        return self.subject.title()

    @property
    def loud(self) -> str:
        return self.subject.upper()


Template[Model]("{subject}")


@dataclass(frozen=True)
class Parent:
    subject: str
    count: int = field(default=2)


@dataclasses.dataclass
class Child(Parent):
    tone: t.Literal["warm", "cool"] = "warm"
    made: str = field(init=False)


Template[Child]("{tone}")


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Partial(Movie, total=False):
    director: str


Template[Partial]("{title}")


class Pair(NamedTuple):
    first: str
    second: Optional[float] = None


Template[Pair]("{first}")


@attrs.define
class Attrs:
    subject: str
    n: Annotated[float, Interval(ge=0, lt=1)] = attrs.field(default=0.5)


Template[Attrs]("{n}")


class Strange(Unknown):
    subject: str


Template[Strange]("{anything}")


class Open(BaseModel):
    model_config = {"extra": "allow"}
    subject: str


Template[Open]("{anything}")


class Plain:
    subject: str


Template[Plain]("{anything}")


class Holder(BaseModel, Generic[V]):
    value: V
    mark: Final[str] = "x"


Template[Holder[int]]("{value}")
Template[Unknown]("{anything}")
Template["Late"]("{word}")


class Late(BaseModel):
    word: str
#> template 57:18-57:27 '{subject}'
#>   Model(subject: str; age: int[0..120] = 30; mood: "calm" | "stormy" = …; hour: "dawn" | "night"; size: "S" | "M" = …; weight: float[0..2] = 1; steps: int[1..]; tags: ? = …; picture: image; ratio: ratio; title: str = …; loud: str = …)
#> template 72:18-72:24 '{tone}'
#>   Child(subject: str; count: int = 2; tone: "warm" | "cool" = "warm"; made: str = …)
#> template 84:20-84:27 '{title}'
#>   Partial(title: str; year: int = …; director: str = …)
#> template 92:17-92:24 '{first}'
#>   Pair(first: str; second: float = …)
#> template 101:18-101:21 '{n}'
#>   Attrs(subject: str; n: float[0..1] = 0.5)
#> template 108:20-108:30 '{anything}'
#>   Strange (incomplete)(subject: str)
#> template 116:17-116:27 '{anything}'
#>   Open (incomplete)(subject: str)
#> template 123:18-123:28 '{anything}'
#>   Plain (incomplete)(subject: str)
#> template 131:24-131:31 '{value}'
#>   Holder(value: ?; mark: str = "x")
#> template 132:20-132:30 '{anything}'
#> template 133:19-133:25 '{word}'
#>   Late(word: str)
