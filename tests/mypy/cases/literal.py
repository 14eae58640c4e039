"""`prompt("…")` is called with what its placeholders ask for."""

import os
from enum import Enum
from typing import Any, ClassVar, Final, Literal, NotRequired, TypedDict

import promptc
import promptc as p
from promptc import prompt, prompt as q
from promptc.values import Image, Ratio
from reexport import again

portrait = prompt("portrait of {subject}, {mood: 'calm' | 'stormy' = 'calm'} sky")
reveal_type(portrait)  # E: 13 Revealed type is "promptc.template.PromptFunction[[*, subject: str, mood: Literal['calm'] | Literal['stormy'] =]]"
portrait(subject="a sailor")
portrait(subject="a sailor", mood="stormy")
portrait()  # E: 1 Missing named argument "subject" for "__call__" of "PromptFunction" [call-arg]
portrait(subjct="a sailor")  # E: 1 Unexpected keyword argument "subjct" for "__call__" of "PromptFunction"; did you mean "subject"? [call-arg]
portrait(subject=3)  # E: 18 Argument "subject" to "__call__" of "PromptFunction" has incompatible type "int"; expected "str" [arg-type]
portrait("a sailor")  # E: 1 Too many positional arguments for "__call__" of "PromptFunction" [call-arg]
portrait(subject="a sailor", mood="angry")  # E: 35 Argument "mood" to "__call__" of "PromptFunction" has incompatible type "Literal['angry']"; expected "Literal['calm', 'stormy']" [arg-type]
portrait(subject="a sailor", hue="red")  # E: 1 Unexpected keyword argument "hue" for "__call__" of "PromptFunction" [call-arg]

typed = prompt("{n: int} {x: float = 1.5} {on: bool = false} --sref {pic} --ar {size}")
typed(n=1, pic="a.png", size="4:5")
typed(n=1, x=2, on=True, pic=Image("a.png"), size=(4, 5))
typed(n="1", x="2", on=3, pic=b"", size=4)  # E: 9 Argument "n" to "__call__" of "PromptFunction" has incompatible type "str"; expected "int" [arg-type]  # E: 16 Argument "x" to "__call__" of "PromptFunction" has incompatible type "str"; expected "float" [arg-type]  # E: 24 Argument "on" to "__call__" of "PromptFunction" has incompatible type "int"; expected "bool" [arg-type]  # E: 31 Argument "pic" to "__call__" of "PromptFunction" has incompatible type "bytes"; expected "str | PathLike[str]" [arg-type]  # E: 41 Argument "size" to "__call__" of "PromptFunction" has incompatible type "int"; expected "str | tuple[int, int]" [arg-type]
typed(n=1.5, pic=os.fspath("a.png"), size=Ratio(4, 5))  # E: 9 Argument "n" to "__call__" of "PromptFunction" has incompatible type "float"; expected "int" [arg-type]

fog = prompt("(fog:{strength}) --seed {seed}")
fog(strength=1.2, seed=7)
fog(strength="much", seed=1.5)  # E: 14 Argument "strength" to "__call__" of "PromptFunction" has incompatible type "str"; expected "float" [arg-type]  # E: 27 Argument "seed" to "__call__" of "PromptFunction" has incompatible type "float"; expected "int" [arg-type]

prompt("direct {x}")(y="1")  # E: 1 Unexpected keyword argument "y" for "__call__" of "PromptFunction" [call-arg]
promptc.prompt("module {x}")()  # E: 1 Missing named argument "x" for "__call__" of "PromptFunction" [call-arg]
p.prompt("alias {x}")()  # E: 1 Missing named argument "x" for "__call__" of "PromptFunction" [call-arg]
q("renamed {x}")()  # E: 1 Missing named argument "x" for "__call__" of "PromptFunction" [call-arg]
(prompt("a {x}") if os.name else prompt("b {x}"))(x="1")

BARE: Final = "sky {hue}"
TYPED: Final[str] = "sky {hue}"
WRITTEN: Literal["sky {hue}"] = "sky {hue}"
PLAIN = "sky {hue}"
TWICE = "sky {hue}"
TWICE = "sea {hue}"
prompt(BARE)(hue="red", foo=2)  # E: 1 Unexpected keyword argument "foo" for "__call__" of "PromptFunction" [call-arg]
prompt(TYPED)(huge="red")  # E: 1 Unexpected keyword argument "huge" for "__call__" of "PromptFunction"; did you mean "hue"? [call-arg]
prompt(PLAIN)(huge="red")  # E: 1 Unexpected keyword argument "huge" for "__call__" of "PromptFunction"; did you mean "hue"? [call-arg]
prompt(WRITTEN)(huge="red")  # E: 1 Unexpected keyword argument "huge" for "__call__" of "PromptFunction"; did you mean "hue"? [call-arg]
prompt(TWICE)(huge="red")
again("exported again {x}")()  # E: 1 Missing named argument "x" for "__call__" of "PromptFunction" [call-arg]
embeds = prompt("{prompt_embeds} {negative_prompt_embeds}")
embeds(prompt_embeds="a", negative_embeds="b")  # E: 1 Unexpected keyword argument "negative_embeds" for "__call__" of "PromptFunction"; did you mean "negative_prompt_embeds"? [call-arg]
prompt("one {a}, " "two {b}")(a="1")  # E: 1 Missing named argument "b" for "__call__" of "PromptFunction" [call-arg]


class Library:
    CAT: ClassVar = prompt("a cat in {place}")
    dog = prompt("a dog in {place}")

    def make(self) -> object:
        return [self.dog(plce="x"), Library.CAT(place=1)]  # E: 17 Unexpected keyword argument "plce" for "__call__" of "PromptFunction"; did you mean "place"? [call-arg]  # E: 55 Argument "place" to "__call__" of "PromptFunction" has incompatible type "int"; expected "str" [arg-type]


table = {"cat": prompt("a cat in {place}")}
table["cat"](place=3)  # E: 20 Argument "place" to "__call__" of "PromptFunction" has incompatible type "int"; expected "str" [arg-type]


class Some(TypedDict):
    subject: str
    mood: NotRequired[str]


class Less(TypedDict):
    subject: str


class Wrong(TypedDict):
    subject: int


def unpacked(some: Some, less: Less, wrong: Wrong, anything: dict[str, Any]) -> None:
    weighted = prompt("{subject} (fog:{strength})")
    weighted(**some)  # E: 5 Extra argument "mood" from **args for "__call__" of "PromptFunction" [misc]
    weighted(**less)  # E: 5 Missing named argument "strength" for "__call__" of "PromptFunction" [call-arg]
    weighted(**less, strength=1.2)
    prompt("{subject}")(**wrong)  # E: 27 Argument "subject" to "__call__" of "PromptFunction" has incompatible type "int"; expected "str" [arg-type]
    weighted(**anything)


prompt("a {x")  # E: 11 E0921 this `{` is not closed; close it with `}`, or write `\{` for the brace itself [promptc-placeholder]
prompt("a {class} and {}")  # E: 12 E0912 `class` is reserved by Python; write `{class_}` [promptc-placeholder]  # E: 23 E0921 these braces are empty; name it, as in `{subject}`, or write `{{}}` for the braces themselves [promptc-placeholder]
prompt(text="a {x}")(y="1")  # E: 1 Unexpected keyword argument "y" for "__call__" of "PromptFunction" [call-arg]
