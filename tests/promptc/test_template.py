"""Templates in Python: the four ways to write one, their contexts and their errors."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict, get_args, get_origin

import pytest
from pydantic import BaseModel, Field, computed_field

import promptc
from promptc import BindError, Image, Prompt, PromptError, Ratio, Template, prompt
from promptc.reflect import kind_of, of_class, of_function
from promptc.template import PromptFunction
from promptc.types import Bool, Float, Int, OneOf, Str
from promptc.types import Image as ImageType
from promptc.types import Ratio as RatioType

Mood = Literal["calm", "stormy"]


class Model(BaseModel):
    subject: str
    mood: Mood = "calm"


@dataclass
class Data:
    subject: str
    mood: Mood = "calm"


class Tuple(NamedTuple):
    subject: str
    mood: Mood = "calm"


class Dict(TypedDict):
    subject: str
    mood: NotRequired[Mood]


TEXT = "portrait of {subject}, {mood} sky"


# prompt("…")


def test_placeholders_declare_themselves() -> None:
    portrait = prompt("portrait of {subject}, {mood: 'calm' | 'stormy' = 'calm'} sky --ar 4:5")
    made = portrait(subject="a sailor")
    assert isinstance(made, Prompt)
    assert str(made) == "portrait of a sailor, calm sky --ar 4:5"
    assert made.values == (("subject", "a sailor"), ("mood", "calm"))
    assert made.template == portrait.text


def test_values_are_given_by_name() -> None:
    with pytest.raises(BindError, match="value 1: it has no name; give values by name: subject"):
        prompt("{subject}")("a sailor")


def test_a_prompt_with_errors_is_none() -> None:
    with pytest.raises(PromptError) as error:
        prompt("portrait of {subject, calm sky (fog:1.2.3)")
    codes = [one.code for one in error.value.diagnostics]
    assert codes == ["E0921", "E1002"]
    assert f"<prompt in {__file__}, line " in str(error.value)
    assert "error[E0921]" in str(error.value)


def test_a_text_of_several_lines_may_hold_comments() -> None:
    assert str(prompt("# C sharp")()) == "# C sharp"
    made = prompt("""
        # the sky carries the mood
        a stormy sky
    """)()
    assert len(made.root.branches) == 1
    kinds = {type(part).__name__ for branch in made.root.branches for part in branch.body}
    assert "Comment" in kinds


def test_a_prompt_is_a_text() -> None:
    with pytest.raises(TypeError, match="a prompt is a text, not int"):
        prompt(3)  # type: ignore[arg-type]


# Template[Context]("…")


@pytest.mark.parametrize(
    ("context", "value"),
    [
        (Model, Model(subject="a sailor")),
        (Data, Data("a sailor")),
        (Tuple, Tuple("a sailor")),
        (Dict, {"subject": "a sailor", "mood": "calm"}),
    ],
)
def test_every_kind_of_context(context: Any, value: Any) -> None:
    card = Template[context](TEXT)
    assert str(card(value)) == "portrait of a sailor, calm sky"
    assert [one.name for one in card.context.parameters] == ["subject", "mood"]
    with pytest.raises(PromptError, match="subjekt"):
        Template[context]("portrait of {subjekt}")


def test_attrs_classes_are_contexts() -> None:
    attr = pytest.importorskip("attr")
    made: Any = attr.make_class("Made", {"subject": attr.ib(type=str), "mood": attr.ib(type=str, default="calm")})
    assert [(one.name, one.required) for one in of_class(made).parameters] == [("subject", True), ("mood", False)]
    assert str(Template[made](TEXT)(made("a sailor"))) == "portrait of a sailor, calm sky"


def test_a_key_that_is_not_there_is_missing() -> None:
    card = Template[Dict](TEXT)
    with pytest.raises(BindError, match="mood: it has no value"):
        card({"subject": "a sailor"})


def test_fields_that_the_prompt_does_not_use_may_be_none() -> None:
    @dataclass
    class Wide:
        subject: str
        note: str | None = None

    assert str(Template[Wide]("{subject}")(Wide("x"))) == "x"
    with pytest.raises(BindError, match="note: None is no value"):
        Template[Wide]("{subject} {note}")(Wide("x"))


def test_properties_are_values_too() -> None:
    @dataclass
    class Named:
        first: str
        calls: list[str] = field(default_factory=list)

        @property
        def title(self) -> str:
            return f"Captain {self.first}"

        @cached_property
        def costly(self) -> str:
            raise AssertionError("only what the prompt uses is read")

    assert str(Template[Named]("portrait of {title}")(Named("Ann"))) == "portrait of Captain Ann"


def test_computed_fields_are_values_too() -> None:
    class Computed(BaseModel):
        first: str

        @computed_field
        def title(self) -> str:
            return f"Captain {self.first}"

    assert str(Template[Computed]("portrait of {title}")(Computed(first="Ann"))) == "portrait of Captain Ann"


def test_a_subclass_fixes_the_context() -> None:
    class Card(Template[Model]):
        """A card."""

    assert str(Card(TEXT)(Model(subject="a sailor"))) == "portrait of a sailor, calm sky"


@pytest.mark.parametrize("wrong", ["Model", int, 3])
def test_what_is_no_context_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="a pydantic model"):
        Template[wrong](TEXT)


def test_a_template_needs_its_context() -> None:
    with pytest.raises(TypeError, match=r"Template\[Portrait\]"):
        Template(TEXT)


def test_an_alias_is_an_annotation_as_any_other() -> None:
    alias = Template[Model]
    assert get_origin(alias) is Template
    assert get_args(alias) == (Model,)
    assert (alias | None) is not None
    assert get_args(list[alias]) == (alias,)


# @prompt.function


@prompt.function
def scene(subject: str, hour: Literal["dawn", "night"] = "dawn") -> Any:
    """
    {subject} at {hour},
    wide shot --ar 16:9
    """


def test_a_signature_is_a_context() -> None:
    assert str(scene("a boat")) == "a boat at dawn,\nwide shot --ar 16:9"
    assert str(scene("a boat", hour="night")) == "a boat at night,\nwide shot --ar 16:9"
    assert scene.__name__ == "scene"  # type: ignore[attr-defined]
    with pytest.raises(BindError, match=r"hour: .*none of"):
        scene("a boat", "noon")  # type: ignore[arg-type]
    with pytest.raises(BindError, match="value 3: it has no name"):
        scene("a boat", "dawn", "x")  # type: ignore[call-arg]
    with pytest.raises(BindError, match="subject: it is given twice"):
        scene("a boat", subject="x")  # type: ignore[misc]


def test_a_function_without_docstring_has_no_prompt() -> None:
    with pytest.raises(TypeError, match="empty has no docstring, and the docstring is its prompt"):

        @prompt.function
        def empty() -> None: ...


def test_errors_in_a_docstring_name_the_function() -> None:
    with pytest.raises(PromptError, match=r"<prompt of .*broken in .*, line "):

        @prompt.function
        def broken(subject: str) -> None:
            """{subjekt}"""


def test_parameters_after_a_star_are_keywords() -> None:
    def keywords(a: str, *, b: int = 3, **rest: object) -> None: ...

    context, positional = of_function(keywords)
    assert positional == ("a",)
    assert [(one.name, one.required, one.default) for one in context.parameters] == [("a", True, None), ("b", False, 3)]
    assert not context.complete


# prompt.file


def test_a_file_brings_its_parameters_and_its_negative(tmp_path: Path) -> None:
    path = tmp_path / "card.prompt"
    path.write_text(
        '---\nparams:\n  subject: str\n  mood: \'"calm" | "stormy" = "calm"\'\n  artifact: str = watermark\n'
        "model: landscape\nnegative: blurry, {artifact}\n---\nportrait of {subject} under a {mood} sky\n",
        encoding="utf-8",
    )
    still = prompt.file(path)
    made = still(subject="a sailor")
    assert str(made).strip() == "portrait of a sailor under a calm sky"
    assert made.negative is not None
    assert str(made.negative) == "blurry, watermark"
    assert made.model == "landscape"
    with pytest.raises(BindError, match="mood"):
        still(subject="x", mood="grim")


def test_errors_of_a_file_are_at_their_place(tmp_path: Path) -> None:
    path = tmp_path / "card.prompt"
    path.write_text("---\nparams:\n  subject: str\n---\nportrait of {subject, {mood}\n", encoding="utf-8")
    with pytest.raises(PromptError) as error:
        prompt.file(path)
    assert f"{path}:5:" in str(error.value)
    with pytest.raises(OSError, match="nowhere"):
        prompt.file(tmp_path / "nowhere.prompt")


def test_a_relative_path_starts_at_the_calling_module(tmp_path: Path) -> None:
    (tmp_path / "card.prompt").write_text("a {thing}", encoding="utf-8")
    (tmp_path / "uses.py").write_text(
        "from promptc import prompt\nprint(prompt.file('card.prompt')(thing='boat'))", encoding="utf-8"
    )
    found = subprocess.run(
        [sys.executable, str(tmp_path / "uses.py")], cwd="/", capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "a boat"


# What templates are


def test_equal_templates_are_equal() -> None:
    one, two = prompt("a {b}"), prompt("a {b}")
    assert one == two
    assert hash(one) == hash(two)
    assert one != prompt("a {c}")
    assert one(b="x") == two(b="x")
    assert one(b="x") != one(b="y")
    assert len({one(b="x"), two(b="x"), one(b="y")}) == 2


@pytest.mark.parametrize("made", [prompt("a {b = 'c'}, (d:{w = 1.2})"), scene])
def test_templates_and_prompts_can_be_pickled(made: PromptFunction[...]) -> None:
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again.text == made.text


def test_prompts_can_be_pickled() -> None:
    made = prompt("a {b}")(b="x")
    assert pickle.loads(pickle.dumps(made)) == made
    card = Template[Model](TEXT)
    assert pickle.loads(pickle.dumps(card)) == card


# Annotations


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, Str()),
        (int, Int()),
        (float, Float()),
        (bool, Bool()),
        (Image, ImageType()),
        (Ratio, RatioType()),
        (Literal["a", 3], OneOf(("a", 3))),
        (Colour, OneOf(("red", "blue"))),
        (Annotated[int, Field(ge=0, le=120)], Int(0, 120)),
        (Annotated[int, Field(gt=0, lt=120)], Int(1, 119)),
        (Annotated[float, Field(ge=0.5)], Float(0.5)),
        (int | float, Float()),
        (str | None, Str()),
        (Literal["a"] | Literal["b"], OneOf(("a", "b"))),
        (list[str], None),
        (str | int, None),
        (Callable[[], int], None),
    ],
)
def test_annotations_are_types(annotation: Any, kind: Any) -> None:
    assert kind_of(annotation) == kind


def test_limits_of_a_model_field_count() -> None:
    class Limited(BaseModel):
        age: int = Field(ge=0, le=120)
        wide: Annotated[float, Field(gt=0)] = 1.0

    (age, wide) = of_class(Limited).parameters
    assert (age.type, age.required) == (Int(0, 120), True)
    assert isinstance(wide.type, Float)
    assert wide.type.low is not None
    assert wide.type.low > 0


def test_members_of_an_enum_are_values() -> None:
    @prompt.function
    def rose(colour: Colour = Colour.RED) -> None:
        """a {colour} rose"""

    assert str(rose()) == "a red rose"
    assert str(rose(Colour.BLUE)) == "a blue rose"


# The package


def test_import_promptc_is_light() -> None:
    script = (
        "import sys, promptc\n"
        "heavy = {'torch', 'pydantic', 'numpy', 'rich', 'libcst', 'mypy', 'lark', 'click', 'yaml'} & sys.modules.keys()\n"
        "print(sorted(heavy))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_public_names_are_there() -> None:
    assert set(promptc.__all__) <= set(dir(promptc))
    for name in promptc.__all__:
        if name not in ("Result", "Runtime"):  # of the runtime, tested there
            assert getattr(promptc, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        promptc.nothing  # noqa: B018
