"""f-string prompts as templates: `f"portrait of {who}"` becomes `str(promptc.prompt("portrait of {who}")(who=who))`.

An f-string counts as a prompt where a name says so: it is assigned to a name, attribute or key with `prompt` in it,
passed as such an argument, given to a function called `…_prompt`, `pipe` or `pipeline`, or returned by one called
`…prompt…`. `--name` adds words to look for, and a comment `# promptc: migrate` on a statement picks its f-strings.
`prompt(f"…")()` of promptc itself becomes `prompt("…")(…)`.

The text stays the same to the letter. A name or attribute is passed as it is and taken to be a text, unless the file
shows another type: a whole number gets its type into the placeholder, `{n: int}`. Anything else is formatted at the
call, exactly as the f-string did it.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import libcst as cst
from libcst import matchers as m
from libcst.codemod import CodemodContext, VisitorBasedCodemodCommand
from libcst.codemod.visitors import AddImportsVisitor
from libcst.metadata import (
    Assignment,
    BaseAssignment,
    ImportAssignment,
    ParentNodeProvider,
    PositionProvider,
    ProviderT,
    Scope,
    ScopeProvider,
)

from promptc.context import name_problem, snake_case
from promptc.diagnostic import Diagnostic
from promptc.errors import PromptError
from promptc.source import Span
from promptc.template import prompt
from promptc.tree import Comment
from promptc.types import Bool, Float, Int, OneOf, Ratio, Type
from promptc.walk import leaves
from promptc_plugins.codemods import problem
from promptc_plugins.python_source.literals import Lines

_MARKER = re.compile(r"#\s*promptc:\s*migrate\b")
_FSTRING = re.compile(r"""\b[rR]?[fF][rR]?["']""")
_ASKS = {"input", "getpass"}  # their `prompt` is a question to a person
_TAKES = re.compile(r"(?:.*_)?(?:pipe|pipeline)|.*_prompt")
_BRACES = re.compile(r"\\N\{[^}]*\}|(?P<braces>(?:\{\{|\}\})(?:[^{}]*(?:\{\{|\}\}))*)")
_QUOTES: tuple[Literal['"', "'", '"""', "'''"], ...] = ('"', "'", '"""', "'''")
_BRACE_NAMES = {"{": "open_brace", "}": "close_brace"}
_STRINGS = cst.FormattedString | cst.ConcatenatedString


def worth_reading(text: str) -> bool:
    """Whether a source can hold anything to migrate; cheap."""
    return _FSTRING.search(text) is not None


class _Stays(Exception):
    """The reason why an f-string is left as it is."""


@dataclass
class _Hole:
    """One placeholder. `kind` is the type that the file shows for its expression, None where it shows none.

    `value` is what the call passes; `part` is the expression of the f-string, None for a value that stands for braces.
    """

    name: str
    value: cst.BaseExpression
    part: cst.FormattedStringExpression | None = None
    kind: str | None = None

    @property
    def shown(self) -> bool:
        """Whether the expression is a name or attribute without a format, so that it can be passed as it is."""
        part = self.part
        plain = part is not None and part.conversion is None and part.format_spec is None
        return plain and part is not None and _is_pure(part.expression)


@dataclass
class _Template:
    """The placeholders in order, and which of them stands for each expression of the f-string in turn."""

    holes: list[_Hole] = field(default_factory=list)
    order: list[_Hole] = field(default_factory=list)

    def name(self, wanted: str) -> str:
        used = {hole.name for hole in self.holes}
        name, number = wanted, 2
        while name in used:
            name, number = f"{wanted}_{number}", number + 1
        return name

    def same(self, part: cst.FormattedStringExpression) -> _Hole | None:
        """The hole of the same expression, where reading it once is enough."""
        if not _is_pure(part.expression):
            return None
        code = _code(part)
        return next((hole for hole in self.holes if hole.part is not None and _code(hole.part) == code), None)


class Codemod(VisitorBasedCodemodCommand):
    """Turns f-string prompts into promptc templates and their calls."""

    DESCRIPTION = "Turn f-string prompts into promptc templates and their calls."
    METADATA_DEPENDENCIES: ClassVar[Sequence[ProviderT]] = (PositionProvider, ScopeProvider, ParentNodeProvider)

    def __init__(self, context: CodemodContext, lines: Lines, words: Iterable[str] = ()) -> None:
        super().__init__(context)
        self.lines = lines
        self.words = ("prompt", *(word.lower() for word in words))
        self.calls = {word.lower() for word in words}
        self.converted = 0
        self.problems: list[Diagnostic] = []
        self.taken: list[str] = []
        self._marked: set[cst.CSTNode] = set()
        self._ours: set[cst.CSTNode] = set()
        self._functions: list[str] = []

    # Which f-strings are prompts.

    def visit_Assign(self, node: cst.Assign) -> None:  # noqa: N802
        if any(self._names_a_prompt(target.target) for target in node.targets):
            self._mark(node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:  # noqa: N802
        if node.value is not None and self._names_a_prompt(node.target):
            self._mark(node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:  # noqa: N802
        if self._names_a_prompt(node.target) and isinstance(node.value, _STRINGS) and _formats(node.value):
            self._stays(node.value, "it is a part of a prompt; write the whole prompt as one text")

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:  # noqa: N802
        if self._names_a_prompt(node.target):
            self._mark(node.value)

    def visit_Param(self, node: cst.Param) -> None:  # noqa: N802
        if node.default is not None and self._names_a_prompt(node.name):
            self._mark(node.default)

    def visit_Call(self, node: cst.Call) -> None:  # noqa: N802
        name = _last_name(node.func)
        if self._is_ours(node.func):
            self._visit_ours(node)
            return
        for arg in node.args:
            if arg.keyword is not None and self._is_prompt(arg.keyword.value) and name not in _ASKS:
                self._mark(arg.value)
        takes = _TAKES.fullmatch(name.lower()) or name.lower() in self.calls
        if takes and node.args and node.args[0].keyword is None and not node.args[0].star:
            self._mark(node.args[0].value)

    def _is_ours(self, node: cst.BaseExpression) -> bool:
        """Whether a call's function is promptc's `prompt`, by its import."""
        if isinstance(node, cst.Attribute) and node.attr.value == "prompt" and isinstance(node.value, cst.Name):
            return self._is_imported(node.value, "promptc")
        return isinstance(node, cst.Name) and self._is_imported(node, "promptc.prompt")

    def _is_imported(self, node: cst.Name, path: str) -> bool:
        scope = self.get_metadata(ScopeProvider, node, None)
        found = list(scope[node.value]) if isinstance(scope, Scope) else []
        return bool(found) and all(
            isinstance(one, ImportAssignment)
            and any(name.name == path for name in one.get_qualified_names_for(node.value))
            for one in found
        )

    def _visit_ours(self, node: cst.Call) -> None:
        text = node.args[0].value if node.args else None
        if not isinstance(text, _STRINGS) or not _formats(text):
            return
        outer = self.get_metadata(ParentNodeProvider, node)
        if isinstance(outer, cst.Call) and outer.func is node and not outer.args:
            self._ours.add(outer)
        else:
            self._stays(
                text, "it is filled before promptc sees it; write placeholders, and pass the values when you call it"
            )

    def visit_DictElement(self, node: cst.DictElement) -> None:  # noqa: N802
        key = node.key.evaluated_value if isinstance(node.key, cst.SimpleString) else None
        if isinstance(key, str) and self._is_prompt(key):
            self._mark(node.value)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        self._functions.append(node.name.value)

    def visit_Return(self, node: cst.Return) -> None:  # noqa: N802
        if node.value is not None and self._functions and self._is_prompt(self._functions[-1]):
            self._mark(node.value)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:  # noqa: N802
        comments = [node.trailing_whitespace.comment, *(line.comment for line in node.leading_lines[-1:])]
        if any(comment is not None and _MARKER.match(comment.value) for comment in comments):
            for found in m.findall(node, m.FormattedString() | m.ConcatenatedString()):
                if isinstance(found, _STRINGS) and not self._inside(found, node):
                    self._mark(found)

    def _inside(self, node: cst.CSTNode, top: cst.CSTNode) -> bool:
        """Whether an f-string is a part of another one, or of a call that a migration wrote."""
        here: cst.CSTNode | None = self.get_metadata(ParentNodeProvider, node)
        while here is not top and here is not None:
            if isinstance(here, _STRINGS) or m.matches(here, _MIGRATED):
                return True
            here = self.get_metadata(ParentNodeProvider, here, None)
        return False

    def _is_prompt(self, name: str) -> bool:
        return any(word in name.lower() for word in self.words)

    def _names_a_prompt(self, target: cst.CSTNode) -> bool:
        if isinstance(target, cst.Subscript) and len(target.slice) == 1:
            index = target.slice[0].slice
            key = index.value if isinstance(index, cst.Index) else None
            value = key.evaluated_value if isinstance(key, cst.SimpleString) else None
            return isinstance(value, str) and self._is_prompt(value)
        return self._is_prompt(_last_name(target))

    def _mark(self, node: cst.BaseExpression) -> None:
        """Mark what an expression may yield as it is: itself, the branches of an `if`, the items of a list."""
        match node:
            case cst.FormattedString() | cst.ConcatenatedString():
                if _formats(node):
                    self._marked.add(node)
            case cst.IfExp():
                self._mark(node.body)
                self._mark(node.orelse)
            case cst.BooleanOperation():
                self._mark(node.left)
                self._mark(node.right)
            case cst.List() | cst.Tuple() | cst.Set():
                for element in node.elements:
                    self._mark(element.value)
            case cst.ListComp() | cst.GeneratorExp() | cst.SetComp():
                self._mark(node.elt)
            case cst.Dict():
                for item in node.elements:
                    self._mark(item.value)
            case cst.NamedExpr():
                self._mark(node.value)
            case cst.BinaryOperation(operator=cst.Add()):
                if any(isinstance(part, _STRINGS) and _formats(part) for part in _addends(node)):
                    self._stays(node, "it is put together with `+`; write the whole prompt as one text")

    # The conversion.

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:  # noqa: N802
        self._functions.pop()
        return updated_node

    def leave_FormattedString(  # noqa: N802
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        return self._convert(original_node) if original_node in self._marked else updated_node

    def leave_ConcatenatedString(  # noqa: N802
        self, original_node: cst.ConcatenatedString, updated_node: cst.ConcatenatedString
    ) -> cst.BaseExpression:
        return self._convert(original_node) if original_node in self._marked else updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:  # noqa: N802
        if original_node not in self._ours or not isinstance(original_node.func, cst.Call):
            return updated_node
        inner = original_node.func
        text = inner.args[0].value
        assert isinstance(text, _STRINGS)
        try:
            literal, template = self._template(text)
        except _Stays as reason:
            self._stays(text, str(reason))
            return updated_node
        self.converted += 1
        made = inner.with_changes(args=[inner.args[0].with_changes(value=literal), *inner.args[1:]])
        return original_node.with_changes(func=made, args=_given(template))

    def _convert(self, node: cst.FormattedString | cst.ConcatenatedString) -> cst.BaseExpression:
        try:
            self._refuse_foreign_name(node)
            call = _written(*self._template(node))
        except _Stays as reason:
            self._stays(node, str(reason))
            return node
        self.converted += 1
        AddImportsVisitor.add_needed_import(self.context, "promptc")
        return call

    def _template(self, node: cst.FormattedString | cst.ConcatenatedString) -> tuple[cst.BaseExpression, _Template]:
        reason = ""
        for braces_as_values in (False, True):
            template = _Template()
            literal = self._literal(node, template, braces_as_values)
            if not braces_as_values and not re.sub(r"\{[^}]*\}", "", _value(literal)).strip():
                raise _Stays("it has no text of its own")
            reason = _difference(node, _value(literal), template)
            if not reason:
                self.taken += [_code(hole.value) for hole in template.holes if hole.shown and hole.kind is None]
                return literal, template
        raise _Stays(reason)

    def _literal(self, node: cst.BaseExpression, template: _Template, braces: bool) -> cst.BaseExpression:
        """The literal with placeholders in the place of expressions; layout, quotes and comments stay."""
        if isinstance(node, cst.ConcatenatedString):
            left = self._literal(node.left, template, braces)
            right = self._literal(node.right, template, braces)
            return node.with_changes(left=left, right=right)
        if isinstance(node, cst.FormattedString):
            body = "".join(self._part(part, template, braces, "r" in node.start.lower()) for part in node.parts)
            return cst.SimpleString(re.sub("[fF]", "", node.start, count=1) + body + node.end, node.lpar, node.rpar)
        if isinstance(node, cst.SimpleString):
            if isinstance(node.evaluated_value, bytes):
                raise _Stays("it is joined with bytes")
            if "{" in (node.evaluated_value or "") or "}" in (node.evaluated_value or ""):
                raise _Stays("a part of it that is no f-string has braces")
            return node
        raise _Stays("a part of it is no plain or formatted string")

    def _part(self, part: cst.CSTNode, template: _Template, braces: bool, raw: bool) -> str:
        if isinstance(part, cst.FormattedStringText):
            if not braces:
                return part.value
            return _BRACES.sub(lambda found: self._braces(found, template, raw), part.value)
        assert isinstance(part, cst.FormattedStringExpression)
        if part.equal is not None:
            raise _Stays("`{name=}` writes its own name; write the name out")
        hole = template.same(part)
        known = hole is not None
        if hole is None:
            hole = _Hole(template.name(_name(part.expression)), part.expression, part, self._kind(part.expression))
            template.holes.append(hole)
        template.order.append(hole)
        # A whole number is written the same by promptc; its type is worth saying once.
        return f"{{{hole.name}: int}}" if hole.shown and hole.kind == "int" and not known else f"{{{hole.name}}}"

    def _braces(self, found: re.Match[str], template: _Template, raw: bool) -> str:
        """Literal braces as a value: whatever is passed for a placeholder is only text."""
        if found["braces"] is None:
            return found[0]
        text = found["braces"].replace("{{", "{").replace("}}", "}")
        quote = next((quote for quote in _QUOTES if quote not in text and not text.endswith(quote[0])), None)
        if quote is None or ("\n" in text and len(quote) == 1):
            raise _Stays("its literal braces cannot be written as a value")
        value = cst.SimpleString(f"{'r' if raw else ''}{quote}{text}{quote}")
        hole = _Hole(template.name(_BRACE_NAMES.get(text, "braces")), value)
        template.holes.append(hole)
        return f"{{{hole.name}}}"

    def _kind(self, node: cst.BaseExpression) -> str | None:
        """The type of a name as the file shows it: by annotation, or by the literals that are assigned to it."""
        if not isinstance(node, cst.Name):
            return None
        scope = self.get_metadata(ScopeProvider, node, None)
        if not isinstance(scope, Scope):
            return None
        kinds = {self._assigned(assignment) for assignment in scope[node.value]}
        return kinds.pop() if len(kinds) == 1 else None

    def _assigned(self, assignment: BaseAssignment) -> str | None:
        if not isinstance(assignment, Assignment):
            return None
        node = assignment.node
        if isinstance(node, cst.Param):
            annotation = node.annotation.annotation if node.annotation else None
            return annotation.value if isinstance(annotation, cst.Name) else None
        parent = self.get_metadata(ParentNodeProvider, node, None)
        if isinstance(parent, cst.AnnAssign):
            annotation = parent.annotation.annotation
            return annotation.value if isinstance(annotation, cst.Name) else None
        if isinstance(parent, cst.AssignTarget):
            parent = self.get_metadata(ParentNodeProvider, parent, None)
            return _literal_kind(parent.value) if isinstance(parent, cst.Assign) else None
        if isinstance(parent, cst.Element):
            return self._unpacked(parent)
        if isinstance(parent, cst.For | cst.CompFor) and m.matches(parent.iter, m.Call(func=m.Name("range"))):
            return "int"
        return None

    def _unpacked(self, element: cst.Element) -> str | None:
        """The kind of `b` in `a, b = 1, "x"`."""
        names = self.get_metadata(ParentNodeProvider, element)
        target = self.get_metadata(ParentNodeProvider, names, None)
        owner = self.get_metadata(ParentNodeProvider, target, None) if isinstance(target, cst.AssignTarget) else None
        values = owner.value if isinstance(owner, cst.Assign) else None
        if not isinstance(names, cst.Tuple) or not isinstance(values, cst.Tuple):
            return None
        plain = [isinstance(one, cst.Element) for one in (*names.elements, *values.elements)]
        if not all(plain) or len(names.elements) != len(values.elements):
            return None
        return _literal_kind(values.elements[names.elements.index(element)].value)

    # Reports.

    def _refuse_foreign_name(self, node: cst.CSTNode) -> None:
        scope = self.get_metadata(ScopeProvider, node, None)
        if isinstance(scope, Scope):
            for one in scope["promptc"]:
                if isinstance(one, Assignment) and not isinstance(one.node, cst.Import):
                    raise _Stays("the name `promptc` means something else here")

    def _stays(self, node: cst.CSTNode, reason: str) -> None:
        place = self.get_metadata(PositionProvider, node)
        start = self.lines.character(place.start.line, place.start.column)
        end = self.lines.character(place.end.line, place.end.column)
        self.problems.append(problem(Span(start, end), reason))


_MIGRATED = m.Call(func=m.Call(func=m.Attribute(value=m.Name("promptc"), attr=m.Name("prompt"))))


def _formats(node: cst.BaseExpression) -> bool:
    """Whether a string has an expression in it."""
    if isinstance(node, cst.ConcatenatedString):
        return _formats(node.left) or _formats(node.right)
    return isinstance(node, cst.FormattedString) and any(
        isinstance(part, cst.FormattedStringExpression) for part in node.parts
    )


def _addends(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.BinaryOperation):
        yield from _addends(node.left)
        yield from _addends(node.right)
    else:
        yield node


def _last_name(node: cst.CSTNode) -> str:
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def _literal_kind(node: cst.BaseExpression) -> str | None:
    kinds = {
        cst.SimpleString: "str",
        cst.FormattedString: "str",
        cst.ConcatenatedString: "str",
        cst.Integer: "int",
        cst.Float: "float",
    }
    if isinstance(node, cst.Name) and node.value in ("True", "False"):
        return "bool"
    return kinds.get(type(node))


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def _is_pure(node: cst.BaseExpression) -> bool:
    """A name, or attributes and constant items of one: reading it twice is reading it once."""
    if isinstance(node, cst.Attribute):
        return _is_pure(node.value)
    if isinstance(node, cst.Subscript):
        constant = m.SubscriptElement(m.Index(m.SimpleString() | m.Integer()))
        return _is_pure(node.value) and len(node.slice) == 1 and m.matches(node.slice[0], constant)
    return isinstance(node, cst.Name)


def _name(node: cst.BaseExpression) -> str:
    """A placeholder's name for an expression: its words in snake_case."""
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", _code(node)))
    wanted = "_".join(words).lower()[:40].strip("_")
    wanted = re.sub(r"^(?:(?:self|cls)_)?[0-9_]*", "", wanted) or "value"
    if isinstance(node, cst.Name) and name_problem(node.value) is None:
        return node.value
    return wanted if name_problem(wanted) is None else (snake_case(wanted) or "value")


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=(), rpar=())


def _formatted(part: cst.FormattedStringExpression) -> cst.FormattedString:
    """An f-string of this one expression, in quotes that it does not use itself."""
    code = _code(part)
    for quote in _QUOTES[:2]:
        if quote not in code:
            return cst.FormattedString([part], f"f{quote}", quote)
    for quote in _QUOTES[2:]:
        if quote not in code:
            return cst.FormattedString([part], f"f{quote}", quote)
    raise _Stays("an expression in it uses every kind of quote")


def _value(node: cst.BaseExpression) -> str:
    """The text of a literal that is a sum of simple strings."""
    value = node.evaluated_value if isinstance(node, cst.SimpleString | cst.ConcatenatedString) else None
    if not isinstance(value, str):
        raise _Stays("a part of it is no text")
    return value


def _difference(node: cst.BaseExpression, text: str, template: _Template) -> str:
    """Settle what the call passes; say why the template would not give the text that the f-string gives, if so.

    Both are tried with values that are easy to tell apart.
    """
    try:
        made = prompt(text)
    except PromptError as error:
        return f"promptc would refuse it: {error.diagnostics[0].message}"
    if any(isinstance(leaf, Comment) for leaf in leaves(made.root)):
        return "a line that begins with # is a comment in a prompt"
    values: dict[str, object] = {}
    for number, hole in enumerate(template.holes, 1):
        parameter = made.context.find(hole.name)
        if parameter is None:
            return f"`{{{hole.name}}}` would be no placeholder there"
        if reason := _settle(hole, parameter.type):
            return reason
        values[hole.name] = _sample(hole, parameter.type, number)
    if str(made(**values)) != _expected(node, template, values):
        return "its braces mean something else in a prompt"
    return ""


def _settle(hole: _Hole, kind: Type | None) -> str:
    """Decide how the call passes a value; say why it cannot be passed, if so."""
    if hole.part is None:
        return ""
    if isinstance(kind, Int | Float):
        if hole.shown and hole.kind in (None, "int", "float"):
            hole.value = _bare(hole.part.expression)
            return ""
        return f"`{{{hole.name}}}` stands where a number must, and the f-string makes a text of it"
    passed = hole.shown and hole.kind in (None, "str", "int")  # a float or a bool is written otherwise in a prompt
    hole.value = _bare(hole.part.expression) if passed else _formatted(hole.part)
    return ""


def _sample(hole: _Hole, kind: Type | None, number: int) -> object:
    if isinstance(hole.value, cst.SimpleString):
        return hole.value.evaluated_value
    samples: dict[type, object] = {Int: number, Float: number, Ratio: f"{number}:7", Bool: True}
    if isinstance(kind, OneOf):
        return kind.values[0]
    return samples.get(type(kind), f"value{number}")


def _expected(node: cst.BaseExpression, template: _Template, values: dict[str, object]) -> str:
    """The text of the f-string when its expressions give these values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(f"({_code(node)}\n)", mode="eval").body
    parts = tree.values if isinstance(tree, ast.JoinedStr) else []
    holes = iter(template.order)
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else str(values[next(holes).name]) for part in parts
    )


def _written(literal: cst.BaseExpression, template: _Template) -> cst.Call:
    """`str(promptc.prompt(literal)(name=value, …))`. Brackets around the literal become those of the call."""
    before: cst.BaseParenthesizableWhitespace = cst.SimpleWhitespace("")
    after: cst.BaseParenthesizableWhitespace = cst.SimpleWhitespace("")
    if literal.lpar:
        before, after = literal.lpar[0].whitespace_after, literal.rpar[-1].whitespace_before
        literal = literal.with_changes(lpar=(), rpar=())
    made = cst.Call(
        cst.Attribute(cst.Name("promptc"), cst.Name("prompt")),
        [cst.Arg(literal, whitespace_after_arg=after)],
        whitespace_before_args=before,
    )
    return cst.Call(cst.Name("str"), [cst.Arg(cst.Call(made, _given(template)))])


def _given(template: _Template) -> list[cst.Arg]:
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return [cst.Arg(hole.value, keyword=cst.Name(hole.name), equal=tight) for hole in template.holes]
