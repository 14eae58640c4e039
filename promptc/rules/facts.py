"""What rules know of the prompt they check. Everything beyond the tree is worked out when a rule first asks."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from promptc.kinds import kinds
from promptc.settings import DEFAULT_TARGET, Settings
from promptc.tree import Alternation, Node, Placeholder, Root, Schedule, Wildcard

if TYPE_CHECKING:  # a prompt without placeholders and parameters needs none of these
    from promptc.context import Context, Place
    from promptc.encoders import Target
    from promptc.parameters import Given
    from promptc.wildcards import Wildcards
    from promptc.window import WindowVerdict

N = TypeVar("N")

SHORT = 64
"""Bytes of a text that fits every window with room to spare: a token takes a byte or more. It needs no counting."""

STEPS = 20
"""The run length of promptc's own model."""


class Facts:
    """One prompt: its text, tree and nodes by class in source order; its context, where declared; the settings."""

    def __init__(
        self,
        text: str,
        root: Root,
        settings: Settings,
        context: "Context | None" = None,
        used: frozenset[str] | None = frozenset(),
    ) -> None:
        self.text = text
        self.root = root
        self.settings = settings
        self.context = context
        self.used = used
        self.kinds = kinds(root)

    def nodes(self, kind: type[N]) -> Sequence[N]:
        """The nodes of one class, in source order."""
        return cast(Sequence[N], self.kinds.get(kind, ()))

    def first(self, node: object) -> bool:
        """Whether a node is the first of its class: for a rule that looks at all of them at once."""
        return self.kinds[type(node)][0] is node

    @cached_property
    def places(self) -> "Sequence[Place]":
        """Every placeholder with the type its place wants."""
        from promptc.context import places

        return places(self.root, self.kinds, self.parameters) if Placeholder in self.kinds else ()

    @cached_property
    def parameters(self) -> "Sequence[Given]":
        """The known parameters (`--name value`), read."""
        if not self.root.parameters:
            return ()
        from promptc.parameters import read

        return read(self.root)

    @cached_property
    def known(self) -> "Context":
        """The declared context, or what the placeholders declare themselves."""
        from promptc.context import infer

        return infer(self.root) if self.context is None else self.context

    @cached_property
    def target(self) -> "Target":
        """The model family that the prompt is for; the default one where the project's is not known."""
        from promptc.encoders import targets

        return targets().get(self.settings.target or DEFAULT_TARGET) or targets()[DEFAULT_TARGET]

    @cached_property
    def steps(self) -> int:
        """The run length that switch points are judged by: the prompt's own, the project's, the target's."""
        for given in self.parameters:
            if given.spec.name == "steps" and isinstance(given.meant, int):
                return given.meant
        if self.settings.steps is not None:
            return self.settings.steps
        return STEPS if self.settings.target is None else self.target.steps

    @cached_property
    def changes(self) -> bool:
        """Whether the text changes during the run."""
        return Schedule in self.kinds or Alternation in self.kinds

    @cached_property
    def short(self) -> bool:
        """Whether the prompt fits every window whatever is picked, so that nothing needs counting."""
        return len(self.text.encode()) <= SHORT and Wildcard not in self.kinds and self.context is None

    @cached_property
    def windows(self) -> "Sequence[tuple[WindowVerdict, str]]":
        """How full the target's encoders are, with the titles of those that agree; one entry for each branch and verdict."""
        from promptc.window import windows

        known: dict[tuple[object, ...], tuple[WindowVerdict, list[str]]] = {}
        context = self.known if Placeholder in self.kinds else None
        wildcards = self.wildcards if Wildcard in self.kinds else None
        for one in windows(self.root, self.target, self.steps, context, wildcards):
            key = (
                one.branch,
                one.verdict,
                one.window,
                one.tokens,
                one.least,
                one.most,
                one.span,
                one.counted,
                one.pooled,
            )
            known.setdefault(key, (one, []))[1].append(one.encoder.title)
        return [(one, " and ".join(titles)) for one, titles in known.values()]

    @cached_property
    def wildcards(self) -> "Wildcards":
        """The wildcards of the project, or of the folder that the prompt stands in."""
        from promptc.wildcards import locate

        return locate(self.settings.wildcards, self.settings.root)

    def inside(self, node: Node, kind: type[N]) -> N | None:
        """The nearest node of a class that a node stands in."""
        parent = self.parents.get(id(node))
        while parent is not None and not isinstance(parent, kind):
            parent = self.parents.get(id(parent))
        return parent

    @cached_property
    def parents(self) -> Mapping[int, Node]:
        """The parent of each node, by `id`."""
        return {
            id(child): node for nodes in self.kinds.values() for node in nodes for child in getattr(node, "parts", ())
        }
