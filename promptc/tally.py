"""How many tokens a piece of a prompt may be, for every choice and value, without going through them.

Text between blanks is split into words apart from what stands around it. So a piece of a prompt is described by what
may stand at its two ends up to the first blank (there it may join what comes before and after), with the least and
the most tokens in between; and pieces join without a look inside. That is exact as long as a piece has few different
ends (`ENDS`). Beyond that, and around values that are not known, it is a bound: of a word that is not known whole
nothing is counted at least, and its bytes at most. A choice of several is gone through up to `ORDERS` orders; beyond,
it is bounded as if an alternative could be picked again.

Networks cost nothing. An embedding costs a token or more; how many, its file says. Spans of different weight are
split apart, as they are encoded apart.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from promptc import tree
from promptc.source import Span
from promptc.terms import factor, plain, switch, walk
from promptc.tokens import BLANK, Vocabulary, ceiling, count, words

# Every check comes by here: what only some prompts need is imported where they do.
if TYPE_CHECKING:
    from promptc.context import Context
    from promptc.wildcards import Entry, Wildcards

ENDS = 1024
"""How many different pairs of ends a piece may have before it is described by bounds."""
ORDERS = 256
"""How many orders of a choice of several are gone through."""
MANY = 64
"""A choice of more than this many alternatives at once is not bounded."""
DIGITS = 20
"""Characters that a number in text is taken to have at most, where its type sets no limit."""


class Interval(NamedTuple):
    """From and to, both inclusive; `most` may be infinite."""

    least: float
    most: float


class Unknown(NamedTuple):
    """Text that is not known, by how many tokens it may be."""

    least: float
    most: float


Piece: TypeAlias = tuple[str | Unknown, float | None]
"""Text without blanks, and its weight; None where that may be any."""
End: TypeAlias = tuple[Piece, ...]
Ends: TypeAlias = tuple[End, End | None]
"""The two ends of a text; the second is None where the text has no blank, and the first is all of it."""
Flat: TypeAlias = dict[Ends, Interval]
"""What a text may be: its ends, and the tokens between them."""


class Broken(NamedTuple):
    """A text with `BREAK` in it: what stands before the first, the fullest part between, and after the last."""

    first: Flat
    between: Interval
    after: Flat


class Summary(NamedTuple):
    """All that a piece of a prompt may be: without `BREAK`, with it, or either."""

    flat: Flat | None
    broken: Broken | None


_EMPTY: Flat = {((), None): Interval(0, 0)}


class Tally:
    """One encoder's view of one prompt."""

    def __init__(
        self,
        root: tree.Root,
        vocabulary: Vocabulary,
        steps: int,
        context: "Context | None" = None,
        wildcards: "Wildcards | None" = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.steps = steps
        self.context = context
        self.wildcards = wildcards
        self.home = ""
        self._faulty = {fault.span for fault in wildcards.faults(root)} if wildcards is not None else set()
        self._fixed: dict[tuple[int, float], Summary] = {}
        self._timed: dict[int, bool] = {}
        self._ends: dict[End, Interval] = {}

    def lasts(self, body: Iterable["tree.Node"]) -> list[int]:
        """The steps after which the text may change, and the last one."""
        found = {self.steps}
        for node in walk(body):
            if isinstance(node, tree.Schedule):
                found.add(switch(node, self.steps))
            elif isinstance(node, tree.Alternation):
                period = len(node.options)
                found.update(range(1, self.steps + 1) if period > 1 else ())
        return sorted(found - {0})

    def total(self, body: Iterable["tree.Node"], step: int, weight: float = 1.0) -> Interval:
        """The tokens of the fullest part at a step."""
        summary = self.sequence(body, weight, step)
        found = []
        if summary.flat is not None:
            found.append(self.closed(summary.flat))
        if summary.broken is not None:
            first, between, after = summary.broken
            found.append(_fullest(self.closed(first), between, self.closed(after)))
        return _either(found)

    # Summaries

    def sequence(self, nodes: Iterable["tree.Node"], weight: float, step: int) -> Summary:
        summary = Summary(_EMPTY, None)
        for node in nodes:
            summary = self.join(summary, self.node(node, weight, step))
        return summary

    def node(self, node: "tree.Node", weight: float, step: int) -> Summary:
        """A node's summary; of one that does not change over time it is kept."""
        if self.timed(node):
            return self._node(node, weight, step)
        key = (id(node), weight)
        if key not in self._fixed:
            self._fixed[key] = self._node(node, weight, step)
        return self._fixed[key]

    def timed(self, node: "tree.Node") -> bool:
        if not getattr(node, "parts", ()):
            return False
        if id(node) not in self._timed:
            self._timed[id(node)] = any(isinstance(each, tree.Schedule | tree.Alternation) for each in walk((node,)))
        return self._timed[id(node)]

    def _node(self, node: "tree.Node", weight: float, step: int) -> Summary:
        match node:
            case tree.Comment():
                return Summary(_EMPTY, None)
            case tree.Break():
                return Summary(None, Broken(_EMPTY, Interval(0, 0), _EMPTY))
            case tree.Escape() | tree.Raw():
                return self.text(node.value, weight)
            case tree.Placeholder():
                return self.union(self._value(node, weight))
            case tree.Emphasis():
                return self.sequence(node.body, weight * factor(node), step)
            case tree.Schedule():
                sides = (node.before, node.after)
                if isinstance(node.when, tree.Placeholder):  # known when it is bound
                    return self.union(self.sequence(side, weight, step) for side in sides)
                return self.sequence(sides[step > switch(node, self.steps)], weight, step)
            case tree.Alternation():
                options = node.options
                return self.sequence(options[(step - 1) % len(options)] if options else (), weight, step)
            case tree.Network():
                if node.kind.text == "embedding":
                    return self.unknown(1, math.inf, weight)
                return Summary(_EMPTY, None)
            case tree.Choice():
                return self._choice(node, weight, step)
            case tree.Wildcard():
                return self._wildcard(node, weight, step)
            case _:
                return self.text(plain((node,)), weight)

    def _choice(self, node: tree.Choice, weight: float, step: int) -> Summary:
        if node.low is None:
            return self.union(self.sequence(one.body, weight, step) for one in node.options)
        from promptc.choose import bounds, sole_wildcard

        sole = sole_wildcard(node)
        if sole is not None:
            options = [self._wildcard(sole, weight, step)]
            low, high = bounds(node, sum(1 for _ in self.entries(sole)))
        else:
            options = [self.sequence(one.body, weight, step) for one in node.options]
            low, high = bounds(node, len(options))
        separator = self.text(", " if node.separator is None else node.separator.text, weight)
        if high > MANY:
            return self.unknown(0, math.inf, weight)
        found: list[Summary] = []
        for size in range(low, high + 1):
            if sole is None and math.perm(len(options), size) <= ORDERS:
                found.extend(self._joined(order, separator) for order in permutations(options, size))
            else:
                found.append(self._joined([self.union(options)] * size, separator))
        return self.union(found)

    def _joined(self, pieces: Iterable[Summary], separator: Summary) -> Summary:
        summary = Summary(_EMPTY, None)
        for at, piece in enumerate(pieces):
            summary = self.join(self.join(summary, separator) if at else summary, piece)
        return summary

    def entries(self, node: tree.Wildcard) -> "Iterator[Entry]":
        """The entries of a wildcard; none where there is something wrong with it."""
        if self.wildcards is not None and (self.home or Span(node.start, node.end) not in self._faulty):
            for listing in self.wildcards.find(node.name.text, self.home):
                yield from listing.entries

    def _wildcard(self, node: tree.Wildcard, weight: float, step: int) -> Summary:
        found = [self._entry(entry, weight, step) for entry in self.entries(node)]
        return self.union(found) if found else self.unknown(0, math.inf, weight)

    def _entry(self, entry: "Entry", weight: float, step: int) -> Summary:
        if entry.bare:
            return self.text(entry.text, weight)
        outside, self.home = self.home, entry.home
        summary = self.sequence(entry.body, weight, step)
        self.home = outside
        return summary

    def _value(self, node: tree.Placeholder, weight: float) -> Iterator[Summary]:
        """What a value of the placeholder's type may be."""
        from promptc.context import annotated
        from promptc.types import Bool, Float, Int, OneOf, Ratio, Type
        from promptc.values import show

        known = self.context.find(node.name.text) if self.context is not None else None
        kind: Type | None = known.type if known is not None else annotated(node)
        match kind:
            case OneOf(values):
                yield from (self.text(show(value), weight) for value in values)
            case Bool():
                yield from (self.text(text, weight) for text in ("true", "false"))
            case Int(low, high):
                digits = [DIGITS if each is None else len(str(each)) for each in (low, high)]
                yield self.unknown(1, max(digits), weight)
            case Float():
                yield self.unknown(1, DIGITS, weight)
            case Ratio():
                yield self.unknown(3, 11, weight)
            case _:
                yield self.unknown(0, math.inf, weight)

    def text(self, text: str, weight: float) -> Summary:
        first, middle, last = _cut(text)
        start: End = ((first, weight),) if first else ()
        if last is None:
            return Summary({(start, None): Interval(0, 0)}, None)
        between = count(middle, self.vocabulary) if middle else 0
        return Summary({(start, ((last, weight),) if last else ()): Interval(between, between)}, None)

    def unknown(self, least: float, most: float, weight: float) -> Summary:
        return Summary({(((Unknown(least, most), weight),), None): Interval(0, 0)}, None)

    # Algebra

    def join(self, one: Summary, other: Summary) -> Summary:
        flat = self.flat_join(one.flat, other.flat) if one.flat is not None and other.flat is not None else None
        broken = []
        if one.flat is not None and other.broken is not None:
            first, between, after = other.broken
            broken.append(Broken(self.flat_join(one.flat, first), between, after))
        if one.broken is not None and other.flat is not None:
            first, between, after = one.broken
            broken.append(Broken(first, between, self.flat_join(after, other.flat)))
        if one.broken is not None and other.broken is not None:
            seam = self.closed(self.flat_join(one.broken.after, other.broken.first))
            between = _fullest(one.broken.between, seam, other.broken.between)
            broken.append(Broken(one.broken.first, between, other.broken.after))
        return Summary(flat, self.broken_union(broken))

    def flat_join(self, one: Flat, other: Flat) -> Flat:
        if one is _EMPTY or other is _EMPTY:
            return other if one is _EMPTY else one
        while len(one) * len(other) > 4 * ENDS:
            if len(one) >= len(other):
                one = self.widened(one)
            else:
                other = self.widened(other)
        found: Flat = {}
        for (left, right), (low, high) in one.items():
            for (start, end), (least, most) in other.items():
                if right is None:
                    ends, seam = (_glued(left, start), end), Interval(0, 0)
                elif end is None:
                    ends, seam = (left, _glued(right, start)), Interval(0, 0)
                else:
                    ends, seam = (left, end), self.end(_glued(right, start))
                _add(found, ends, Interval(low + least + seam.least, high + most + seam.most))
        return found if len(found) <= ENDS else self.widened(found)

    def union(self, summaries: Iterable[Summary]) -> Summary:
        flat: Flat = {}
        broken: list[Broken] = []
        for summary in summaries:
            for ends, interval in (summary.flat or {}).items():
                _add(flat, ends, interval)
            if summary.broken is not None:
                broken.append(summary.broken)
        if not flat and not broken:
            return Summary(_EMPTY, None)
        return Summary(flat or None, self.broken_union(broken))

    def broken_union(self, found: list[Broken]) -> Broken | None:
        if len(found) < 2:
            return found[0] if found else None
        first: Flat = {}
        after: Flat = {}
        for one in found:
            for ends, interval in one.first.items():
                _add(first, ends, interval)
            for ends, interval in one.after.items():
                _add(after, ends, interval)
        return Broken(first, _either([one.between for one in found]), after)

    def widened(self, flat: Flat) -> Flat:
        """The same by bounds: one pair of ends for texts without a blank, one for those with."""
        whole = [(left, interval) for (left, right), interval in flat.items() if right is None]
        split = [(left, right, interval) for (left, right), interval in flat.items() if right is not None]
        found: Flat = {}
        if whole:
            found[_vague(left for left, _ in whole), None] = _either([interval for _, interval in whole])
        if split:
            ends = _vague(left for left, _, _ in split), _vague(right for _, right, _ in split)
            found[ends] = _either([interval for _, _, interval in split])
        return found

    # Counts

    def closed(self, flat: Flat) -> Interval:
        """The tokens of a text that nothing more joins."""
        found = []
        for (left, right), (least, most) in flat.items():
            start = self.end(left)
            stop = Interval(0, 0) if right is None else self.end(right)
            found.append(Interval(least + start.least + stop.least, most + start.most + stop.most))
        return _either(found)

    def end(self, end: End) -> Interval:
        """The tokens of text without blanks, which is mostly met more than once."""
        if end not in self._ends:
            self._ends[end] = self._end(end)
        return self._ends[end]

    def _end(self, end: End) -> Interval:
        least = most = 0.0
        run: list[str | Unknown] = []
        for at, (piece, weight) in enumerate(end):
            run.append(piece)
            after = end[at + 1][1] if at + 1 < len(end) else math.nan
            if weight is not None and after is not None and after != weight:
                found = self._run(run)
                least, most = least + found.least, most + found.most
                run = []
        rest = self._run(run)
        return Interval(least + rest.least, most + rest.most)

    def _run(self, run: list[str | Unknown]) -> Interval:
        """The tokens of pieces that are split together, of which some are not known.

        Known text keeps the words that an unknown neighbour cannot reach: all but the last before it (a word may go
        on), and all but the first two after it (an apostrophe may have belonged to the second).
        """
        if len(run) == 1:
            (piece,) = run
            if isinstance(piece, Unknown):
                return Interval(*piece)
            exact = count(piece, self.vocabulary)
            return Interval(exact, exact)
        least = most = 0.0
        some = False
        for at, piece in enumerate(run):
            if isinstance(piece, Unknown):
                most += piece.most
                some = some or piece.least > 0
            else:
                kept = words(piece)[2 if at else 0 : -1 if at + 1 < len(run) else None]
                least += sum(count(word, self.vocabulary) for word in kept)
                most += ceiling(piece)
                some = True
        return Interval(max(least, 1 if some else 0), most)


def _cut(text: str) -> tuple[str, str, str | None]:
    """Text up to its first blank, between that and its last blank, and after that; None for the last without a blank."""
    pieces = BLANK.split(text)
    if len(pieces) == 1:
        return text, "", None
    return pieces[0], text[len(pieces[0]) : len(text) - len(pieces[-1])], pieces[-1]


def _glued(one: End, other: End) -> End:
    """Two ends that touch: known text of one weight is one text."""
    if one and other and one[-1][1] == other[0][1]:
        left, right = one[-1][0], other[0][0]
        if isinstance(left, str) and isinstance(right, str):
            return (*one[:-1], (left + right, one[-1][1]), *other[1:])
    return one + other


def _vague(ends: Iterable[End]) -> End:
    """What is known of all these ends: how many bytes they are at most."""
    most = 0.0
    for end in ends:
        most = max(most, sum(piece.most if isinstance(piece, Unknown) else ceiling(piece) for piece, _ in end))
    return ((Unknown(0, most), None),)


def _add(flat: Flat, ends: Ends, interval: Interval) -> None:
    known = flat.get(ends)
    flat[ends] = interval if known is None else _either([known, interval])


def _either(intervals: Iterable[Interval]) -> Interval:
    """One of these, whichever it is."""
    found = list(intervals)
    if not found:
        return Interval(0, 0)
    return Interval(min(one.least for one in found), max(one.most for one in found))


def _fullest(*intervals: Interval) -> Interval:
    """The greatest of these, all of which are."""
    return Interval(max(one.least for one in intervals), max(one.most for one in intervals))
