"""Files of prompts, checked and filled with values: what `compile` and `run` start from."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from promptc.bind import read_values
from promptc.context import Context, infer
from promptc.encoders import targets
from promptc.errors import BindError, Refusal
from promptc.files import load
from promptc.findings import findings, settings_of
from promptc.project import find
from promptc.report import Finding
from promptc.settings import EMBEDDED, Settings
from promptc.suggest import nearest
from promptc.template import Definition, Prompt, definitions


class Input(NamedTuple):
    """The bytes of a file or of standard input, the name they go under, and the folder of their relative paths."""

    data: bytes
    path: Path
    root: Path


@dataclass(frozen=True)
class Program:
    """The prompts of some files, with the findings in them and the settings that they were checked under."""

    definitions: tuple[Definition, ...]
    findings: tuple[Finding, ...]
    settings: Settings

    @property
    def broken(self) -> bool:
        """Whether there is an error among the findings: such a program is not bound."""
        return any(found.diagnostic.severity == "error" for found in self.findings)

    def bind(self, texts: Mapping[str, str]) -> list[Prompt]:
        """Every prompt with its values, which are texts of a command line. Raises BindError.

        A name may be of one prompt only; a name of none is refused.
        """
        contexts = [_context(one) for one in self.definitions]
        names = list(dict.fromkeys(name for context in contexts for name in context.names()))
        refusals = [_unknown(name, names) for name in texts if name not in names]
        prompts: list[Prompt] = []
        for one, context in zip(self.definitions, contexts, strict=True):
            own = {name: text for name, text in texts.items() if context.find(name)}
            try:
                prompts.append(one.bind(read_values(context, own)))
            except BindError as error:
                refusals.extend(refusal for refusal in error.refusals if refusal not in refusals)
        if refusals:
            raise BindError(refusals)
        return prompts


def read_program(inputs: Sequence[Input], model: str | None = None) -> Program:
    """Check the prompts of one run. Raises ConfigError for a bad pyproject.toml, ValueError for files of two folders."""
    roots = list(dict.fromkeys(one.root for one in inputs))
    if len(roots) != 1:
        raise ValueError(f"the files of one run lie in one folder, and these lie in {', '.join(map(str, roots))}")
    settings = settings_of(find(roots[0]), target=model if model in targets() else None, root=roots[0])
    documents = [load(one.data, str(one.path), root=one.root) for one in inputs]
    found = tuple(one for document in documents for one in findings(document, settings, default=EMBEDDED))
    broken = any(one.diagnostic.severity == "error" for one in found)
    defined = () if broken else tuple(one for document in documents for one in definitions(document))
    return Program(defined, found, settings)


def _context(definition: Definition) -> Context:
    """All names that a prompt and its negative prompt know."""
    parts: Sequence[Definition] = [definition] if definition.negative is None else [definition, definition.negative]
    known = {one.name: one for part in parts for one in (*part.context.parameters, *infer(part.root).parameters)}
    known |= {one.name: one for one in definition.context.parameters}
    return Context(definition.context.name, tuple(known.values()))


def _unknown(name: str, names: Sequence[str]) -> Refusal:
    close = nearest(name, names)
    known = f"it has {', '.join(names)}" if names else "it has none"
    return Refusal(name, "the prompt has no such placeholder", f"did you mean {close}?" if close else known)


def read_assignments(values: Sequence[str]) -> dict[str, str]:
    """`name=value` arguments. Raises ValueError."""
    texts: dict[str, str] = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name:
            raise ValueError(f"'{value}' is no value; values are written name=value")
        if name in texts:
            raise ValueError(f"{name} is given twice")
        texts[name] = text
    return texts


def read_input(file: Path, stdin_filename: str | None) -> Input:
    """Read a file, or standard input for `-`. Raises OSError."""
    if str(file) == "-":
        name = Path(stdin_filename or "<stdin>")
        return Input(sys.stdin.buffer.read(), name, name.parent if stdin_filename else Path())
    return Input(file.read_bytes(), file, file.parent)


def read_inputs(files: Sequence[Path], stdin_filename: str | None) -> list[Input]:
    """Read files; a folder stands for the `.prompt` files in it. Raises OSError."""
    found: list[Input] = []
    for file in files:
        inside = sorted(file.glob("*.prompt")) if file.is_dir() else [file]
        if not inside:
            raise FileNotFoundError(2, "no .prompt file is in this folder", str(file))
        found += [read_input(one, stdin_filename) for one in inside]
    return found


def split_arguments(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files and the `name=value` texts of a command line; a path with such a start is written `./name=value`."""
    values = [one for one in arguments if (name := one.partition("="))[1] and name[0].isidentifier()]
    return [Path(one) for one in arguments if one not in values], values
