"""First-party modules, and what an expression of one refers to: a class, a constant, or a dotted name from outside."""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from promptc.source import NotUtf8, Source, decode
from promptc_plugins.python_source.literals import Lines, Literal, read
from promptc_plugins.python_source.scopes import Assigned, Binding, Defined, Imported, Scan, Scope, lookup, scan

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from promptc.frozen import dataclass

_DEPTH = 16
_PUBLIC = {"prompt", "Template", "Prompt", "Image", "Ratio"}


class Unreadable(Exception):
    """A text is no Python. `line` counts from 1, `column` from 0; both are 0 where the place is unknown."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column = reason, line, column


@dataclass(frozen=True, slots=True)
class Module:
    """A parsed Python source. `package` is the folder that its relative imports start from."""

    source: Source
    tree: ast.Module
    lines: Lines
    scan: Scan
    package: Path
    roots: tuple[Path, ...]
    cache: "dict[Path, Module | None]"


@dataclass(frozen=True, slots=True)
class Known:
    """A name that stands outside of the first-party code: `pydantic.BaseModel`, `builtins.int`."""

    path: str


@dataclass(frozen=True, slots=True)
class Class:
    """A class statement and the scope that its bases and annotations are read in (its body)."""

    module: Module
    node: ast.ClassDef
    scope: Scope


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that a name was assigned once, in the scope it stands in."""

    module: Module
    node: ast.expr
    scope: Scope


Meaning: TypeAlias = Known | Class | Expression | None


def parse(source: Source, root: Path | None = None) -> Module:
    """Parse a source. Raises Unreadable."""
    return _parse(source, _roots(source.path, root), {})


def _parse(source: Source, roots: tuple[Path, ...], cache: "dict[Path, Module | None]") -> Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `\(` is common in prompts
            tree = ast.parse(source.text)
        scanned = scan(tree)
    except SyntaxError as error:
        raise Unreadable(error.msg or "invalid syntax", error.lineno or 0, max((error.offset or 1) - 1, 0)) from None
    except ValueError as error:
        raise Unreadable(str(error)) from None
    except (RecursionError, MemoryError):
        raise Unreadable("it is nested too deeply") from None
    return Module(source, tree, Lines(source.text), scanned, Path(source.path).parent, roots, cache)


def _roots(path: str, root: Path | None) -> tuple[Path, ...]:
    """Where absolute imports are looked for: above the file's outermost package, then the project, then here."""
    folder = Path(path).absolute().parent
    while (folder / "__init__.py").exists() and folder != folder.parent:
        folder = folder.parent
    here = Path.cwd()
    project = root.absolute() if root else here
    return tuple(dict.fromkeys([folder, project, project / "src", here, here / "src"]))


def load(module: Module, imported: Imported) -> Module | None:
    """The first-party module that an import names, or None."""
    parts = imported.module.split(".") if imported.module else []
    bases: tuple[Path, ...] = module.roots
    if imported.level:
        base = module.package.absolute()
        for _ in range(imported.level - 1):
            base = base.parent
        bases = (base,)
    for base in bases:
        stem = base.joinpath(*parts)
        for path in (stem.with_suffix(".py"), stem / "__init__.py"):
            found = _read(module, path)
            if found is not None:
                return found
    return None


def _read(module: Module, path: Path) -> Module | None:
    if path not in module.cache:
        module.cache[path] = None  # an import cycle ends here
        try:
            source = decode(path.read_bytes(), str(path))
            module.cache[path] = _parse(source, module.roots, module.cache)
        except (OSError, NotUtf8, Unreadable, ValueError):
            pass
    return module.cache[path]


def resolve(module: Module, node: ast.expr, scope: Scope, depth: int = 0) -> Meaning:
    """What an expression refers to. None where that is not certain: a rebound name, a call, an unknown import."""
    if depth > _DEPTH:
        return None
    if isinstance(node, ast.Name):
        return _name(module, node.id, scope, depth)
    if isinstance(node, ast.Attribute):
        owner = resolve(module, node.value, scope, depth + 1)
        if isinstance(owner, Known):
            return _outside(module, owner.path, node.attr, depth)
        return None
    return Expression(module, node, scope)


def literal_of(module: Module, node: ast.expr, scope: Scope) -> Literal | None:
    """The literal that an expression is: spelt there, or a name of this module that is assigned one literal, once."""
    if isinstance(node, ast.Name | ast.Attribute):
        meaning = resolve(module, node, scope)
        if not isinstance(meaning, Expression) or meaning.module is not module:
            return None
        node = meaning.node
    return read(module.source, module.lines, node)


def _name(module: Module, name: str, scope: Scope, depth: int) -> Meaning:
    found = lookup(name, scope)
    if found is None:
        for star in module.scan.top.stars:
            if star.module == "promptc" and not star.level:
                if name in _PUBLIC:
                    return Known(f"promptc.{name}")
                continue
            starred = load(module, star)
            if starred is None:
                return None  # the name may come from there
            if name in starred.scan.top.names:
                return _name(starred, name, starred.scan.top, depth + 1)
        return Known(f"builtins.{name}")
    where, bindings = found
    meanings = list(_meanings(module, where, bindings, depth))
    return meanings[0] if meanings and all(meaning == meanings[0] for meaning in meanings) else None


def _meanings(module: Module, scope: Scope, bindings: list[Binding], depth: int) -> Iterator[Meaning]:
    imports = any(isinstance(binding, Imported) for binding in bindings)
    for binding in bindings:
        match binding:
            case Imported():
                yield _import(module, binding, depth)
            case Defined(node=ast.ClassDef() as node):
                yield Class(module, node, module.scan.inner[node])
            case Assigned(value=ast.Constant(value=None)) if imports:
                continue  # `except ImportError: name = None`
            case Assigned(value=value):
                yield resolve(module, value, scope, depth + 1)
            case _:
                yield None


def _import(module: Module, imported: Imported, depth: int) -> Meaning:
    if imported.name is None:
        return Known(imported.module)
    if not imported.level and imported.module.partition(".")[0] == "promptc":
        return Known(f"{imported.module}.{imported.name}")  # also while promptc checks itself
    owner = load(module, imported)
    if owner is not None and imported.name in owner.scan.top.names:
        return _name(owner, imported.name, owner.scan.top, depth + 1)
    if imported.level:
        return _submodule(module, imported)
    if owner is not None:
        return None
    return Known(f"{imported.module}.{imported.name}")


def _submodule(module: Module, imported: Imported) -> Meaning:
    """`from . import models`: a module, known by a path that `_outside` can follow."""
    inner = Imported(".".join(filter(None, [imported.module, imported.name])), None, imported.level)
    return Known("." * imported.level + inner.module) if load(module, inner) else None


def _outside(module: Module, path: str, attribute: str, depth: int) -> Meaning:
    """`path.attribute` where `path` may be a first-party module after all (`import app.models`)."""
    if path.partition(".")[0] not in ("promptc", "builtins"):
        level = len(path) - len(path.lstrip("."))
        owner = load(module, Imported(path[level:], None, level))
        if owner is not None and attribute in owner.scan.top.names:
            return _name(owner, attribute, owner.scan.top, depth + 1)
    return Known(f"{path}.{attribute}")
