"""Prompts in Python: `prompt("…")`, `Template[Context]("…")`, `@prompt.function` and `prompt.file("…")`."""

import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeVar

from promptc.bind import check_values, fill
from promptc.context import Context, infer
from promptc.docstring import cleandoc
from promptc.errors import BindError, PromptError, Refusal
from promptc.parse import parse
from promptc.source import Fragment, Source
from promptc.tree import Root
from promptc.walk import print_tree

if TYPE_CHECKING:
    from promptc.files import Document

P = ParamSpec("P")
C = TypeVar("C")


@dataclass(frozen=True)
class Prompt:
    """A prompt with a value in every placeholder. `template` is the text that it was made from."""

    template: str
    root: Root = field(repr=False)
    values: tuple[tuple[str, object], ...] = ()
    negative: "Prompt | None" = None
    model: str | None = None
    target: str | None = None
    fragment: Fragment | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return print_tree(self.root)


@dataclass(frozen=True)
class Definition:
    """A prompt with placeholders, and what its values are checked against.

    `negative` shares the values. `model` and `target` are what its file names. `fragment` says where the text stands.
    """

    text: str
    comments: bool
    context: Context
    negative: "Definition | None" = None
    model: str | None = None
    target: str | None = None
    fragment: Fragment | None = field(default=None, repr=False, compare=False)

    @cached_property
    def root(self) -> Root:
        return parse(self.text, comments=self.comments)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "root"}

    def bind(self, values: Mapping[str, object]) -> Prompt:
        """Fill the placeholders. Raises BindError."""
        parts = [self] if self.negative is None else [self, self.negative]
        bound = check_values([part.root for part in parts], self.context, values)
        return self._fill(bound)

    def _fill(self, bound: Mapping[str, object]) -> Prompt:
        negative = None if self.negative is None else self.negative._fill(bound)
        root = fill(self.root, bound)
        return Prompt(self.text, root, tuple(bound.items()), negative, self.model, self.target, self.fragment)


class BaseTemplate:
    """What every template has: it is checked when it is made, and equal to another of the same text and context."""

    definition: Definition

    @property
    def text(self) -> str:
        return self.definition.text

    @property
    def root(self) -> Root:
        """The tree of the text, with its placeholders."""
        return self.definition.root

    @property
    def context(self) -> Context:
        return self.definition.context

    def bind(self, values: Mapping[str, object]) -> Prompt:
        """Fill the placeholders by name. Raises BindError."""
        return self.definition.bind(values)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), self.definition.text))


class PromptFunction(BaseTemplate, Generic[P]):
    """A template that is called with its values: by keyword, and by position as far as its signature allows that."""

    def __init__(self, definition: Definition, positional: tuple[str, ...] = ()) -> None:
        self.definition = definition
        self.positional = positional

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Prompt:
        """The prompt with these values. Raises BindError."""
        if len(args) > len(self.positional):
            known = ", ".join(one.name for one in self.context.parameters)
            extra = f"value {len(self.positional) + 1}"
            raise BindError([Refusal(extra, "it has no name", f"give values by name: {known}" if known else "")])
        values: dict[str, object] = dict(zip(self.positional, args, strict=False))
        if twice := values.keys() & kwargs.keys():
            raise BindError([Refusal(name, "it is given twice") for name in sorted(twice)])
        return self.bind({**values, **kwargs})


class Template(BaseTemplate, Generic[C]):
    """`Template[Context]("…")`: a prompt over the fields of a class, called with an object of it.

    A context is a pydantic model, a dataclass, an attrs class, a NamedTuple or a TypedDict. A subclass may fix it:
    `class Card(Template[Portrait])`, then `Card("…")`.
    """

    _context: ClassVar[object] = None
    fields: tuple[str, ...]
    used: tuple[str, ...]

    def __init__(self, text: str) -> None:
        if self._context is None:
            raise TypeError(
                'a Template needs its context, as in Template[Portrait]("…"); '
                'where the placeholders declare themselves, write prompt("…")'
            )
        self._make(_fragment(text), self._context)

    def _make(self, fragment: Fragment, context: Any) -> None:
        from promptc.reflect import fields_of, of_class

        self.definition = define(fragment, of_class(context))
        self.fields = tuple(fields_of(context))
        self.used = tuple(infer(self.root).names())

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in vars(cls).get("__orig_bases__", ()):
            if isinstance(base, _Alias):
                cls._context = base.__args__[0]

    if not TYPE_CHECKING:

        def __class_getitem__(cls, context):
            return _Alias(cls, context)

    def __call__(self, context: C) -> Prompt:
        """The prompt with the values of an object. Raises BindError."""
        from promptc.reflect import values_of

        return self.bind(values_of(context, self.fields, self.used))


class _Alias(types.GenericAlias):
    """`Template[Context]`: an annotation as any other, and when called a template that is checked at once."""

    def __call__(self, text: str) -> Any:
        owner: Any = self.__origin__
        made: Any = object.__new__(owner)
        made._make(_fragment(text), self.__args__[0])
        return made


class Define:
    """The type of `prompt`."""

    def __call__(self, text: str) -> PromptFunction[...]:
        """A template whose placeholders declare themselves, called by keyword. Raises PromptError."""
        return PromptFunction(define(_fragment(text), None))

    def function(self, function: Callable[P, object]) -> PromptFunction[P]:
        """A template from a function: its docstring is the prompt, its signature the context. Raises PromptError."""
        from promptc.reflect import of_function

        if not (function.__doc__ or "").strip():
            raise TypeError(f"{function.__qualname__} has no docstring, and the docstring is its prompt")
        context, positional = of_function(function)
        text = cleandoc(function.__doc__ or "")
        code = function.__code__
        source = Source(f"<prompt of {function.__qualname__} in {code.co_filename}, line {code.co_firstlineno}>", text)
        made: PromptFunction[P] = PromptFunction(define(Fragment(source, text, comments=True), context), positional)
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(made, name, getattr(function, name))
        return made

    def file(self, path: "str | PathLike[str]") -> PromptFunction[...]:
        """A template from a `.prompt` file, checked with its negative prompt. Raises OSError and PromptError.

        A relative path starts at the folder of the calling module, or at the working folder where there is none.
        """
        module = sys._getframe(1).f_globals.get("__file__")
        found = Path(module).parent / path if module else Path(path)
        return PromptFunction(define_file(found))


prompt = Define()


def define(fragment: Fragment, context: Context | None) -> Definition:
    """Check one prompt. Raises PromptError with its errors; warnings are for `promptc check`."""
    from promptc.check import check, locate
    from promptc.settings import Settings

    found = [one for one in check(fragment, context=context, settings=Settings()) if one.severity == "error"]
    if found:
        raise PromptError(fragment.origin, [locate(one, fragment) for one in found])
    return _declare(fragment, context)


def _declare(fragment: Fragment, context: Context | None) -> Definition:
    declared = context or infer(parse(fragment.text, comments=fragment.comments))
    return Definition(fragment.text, fragment.comments, declared, fragment=fragment)


def define_file(path: Path) -> Definition:
    """Check a `.prompt` file, and its negative prompt with it. Raises OSError and PromptError."""
    from promptc.files import read
    from promptc.findings import findings, settings_of
    from promptc.project import find
    from promptc.settings import EMBEDDED

    document = read(path)
    config = find(path.parent)
    settings = settings_of(config, root=path.parent)
    found = findings(document, settings, default=EMBEDDED)
    errors = [one.diagnostic for one in found if one.diagnostic.severity == "error"]
    if errors:
        raise PromptError(document.source, errors)
    if len(document.prompts) != 1:
        raise ValueError(f"{path} holds {len(document.prompts)} prompts, and one is wanted")
    return definitions(document)[0]


def definitions(document: "Document") -> list[Definition]:
    """The prompts of a document that was checked, each with its negative prompt."""
    front = document.front
    model, target = (
        None if one is None else one.text for one in ((front.model, front.target) if front else (None, None))
    )
    made = [(unit.role, _declare(unit.fragment, unit.context)) for unit in document.units]
    negative = next((one for role, one in made if role == "negative"), None)
    return [replace(one, negative=negative, model=model, target=target) for role, one in made if role != "negative"]


def _fragment(text: str) -> Fragment:
    """A text from Python as a fragment; its name says where it is. A text of several lines may hold comments."""
    if not isinstance(text, str):
        raise TypeError(f"a prompt is a text, not {type(text).__name__}")
    caller = sys._getframe(2)
    source = Source(f"<prompt in {caller.f_code.co_filename}, line {caller.f_lineno}>", text)
    return Fragment(source, text, comments="\n" in text)
