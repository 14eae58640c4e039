"""Whether a prompt fits the windows of its target's text encoders, for every choice, value and step."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from promptc import tree
from promptc.source import Span
from promptc.tally import Interval, Tally
from promptc.terms import bodies, factor, plain, switch
from promptc.tokens import Vocabulary, ceiling, encode

if TYPE_CHECKING:
    from promptc.context import Context
    from promptc.encoders import Encoder, Overflow, Target
    from promptc.wildcards import Entry, Wildcards

Verdict = Literal["always", "may", "never"]


class WindowVerdict(NamedTuple):
    """How full the fullest part (between `BREAK`s) of one branch is, for one encoder.

    `verdict` says whether it is over the window for every choice and value at some step (`always`), for some (`may`)
    or for none (`never`). `least` and `most` bound its tokens, markers left out; `most` is None where a value without
    limits decides, and for an encoder that is not `counted`. The last four describe the fullest text that can be
    named, with placeholders at their defaults: `tokens`, the part of it that stands after the window, its place in
    the prompt, and the last step it is told at. `pooled`: the encoder gives one vector only, so that a cut does little.
    """

    encoder: "Encoder"
    branch: int
    verdict: Verdict
    overflow: "Overflow"
    counted: bool
    pooled: bool
    least: int = 0
    most: int | None = None
    tokens: int = 0
    lost: str = ""
    span: Span | None = None
    last: int = 0

    @property
    def window(self) -> int:
        return self.encoder.window

    @property
    def over(self) -> int:
        """How many tokens of the fullest text that can be named have no place."""
        return max(0, self.tokens - self.window)

    @property
    def room(self) -> int:
        """How many tokens are left for what is not known yet."""
        return max(0, self.window - self.least)


def windows(
    root: tree.Root,
    target: "Target",
    steps: int,
    context: "Context | None" = None,
    wildcards: "Wildcards | None" = None,
) -> list[WindowVerdict]:
    """One verdict for each encoder of the target and each branch of the prompt.

    `context` gives the types of placeholders. A wildcard that is not known may be any text. Time grows with the
    length of the prompt and of its wildcards times the steps at which it changes, never with the number of choices.
    """
    told = bodies(root)
    roofs = [roof(body) for body in told]
    found: list[WindowVerdict] = []
    tallies: dict[str, Tally] = {}
    for encoder in target.encoders:
        for index, body in enumerate(told):
            blank = WindowVerdict(
                encoder, index, "never", target.overflow, encoder.vocabulary is not None, encoder.name in target.pooled
            )
            most = roofs[index]
            if most is not None and most + (not blank.counted) <= encoder.window:  # most prompts: nothing is counted
                found.append(blank._replace(most=most))
            elif encoder.vocabulary is None:
                found.append(blank._replace(verdict="may"))
            else:
                if encoder.vocabulary not in tallies:
                    vocabulary = encoder.known()
                    assert vocabulary is not None
                    tallies[encoder.vocabulary] = Tally(root, vocabulary, steps, context, wildcards)
                found.append(_judge(blank, body, tallies[encoder.vocabulary]))
    return found


def roof(body: Iterable["tree.Node"]) -> int | None:
    """A number of tokens that no choice and no step passes, by bytes alone; None where that cannot be said."""
    found = 0
    pending = list(body)
    while pending:
        node = pending.pop()
        match node:
            case tree.Placeholder() | tree.Wildcard() | tree.Choice(low=tree.Number()):
                return None
            case tree.Network():
                if node.kind.text == "embedding":
                    return None
            case tree.Comment() | tree.Break():
                pass
            case _:
                parts = getattr(node, "parts", None)
                if parts is None:
                    found += ceiling(getattr(node, "text", ""))
                else:
                    pending.extend(parts)
    return found


def _judge(blank: WindowVerdict, body: tuple["tree.Node", ...], tally: Tally) -> WindowVerdict:
    """The verdict over all steps, each of which is judged by itself."""
    totals = [(last, tally.total(body, last)) for last in tally.lasts(body)]
    least = max(total.least for _, total in totals)
    most = max(total.most for _, total in totals)
    verdict: Verdict = "always" if least > blank.window else "may" if most > blank.window else "never"
    known = blank._replace(verdict=verdict, least=int(least), most=None if most == float("inf") else int(most))
    if verdict == "never":
        return known
    last, _ = max(totals, key=lambda each: (_size(each[1]), -each[0]))
    return _quote(known, list(_Fullest(tally, last).pieces(body, 1.0)), last, tally.vocabulary)


def _size(total: Interval) -> float:
    """What to compare by: the most tokens, or the least where anything is possible."""
    return total.least if total.most == float("inf") else total.most


# The fullest text that can be named


class _Piece(NamedTuple):
    """Told text, and where it stands in the prompt. `as_is` if each character stands there as told."""

    text: str
    weight: float
    start: int
    end: int
    as_is: bool


class _Fullest:
    """The text of the fullest alternatives, with placeholders at their defaults."""

    def __init__(self, tally: Tally, step: int) -> None:
        self.tally, self.step = tally, step

    def pieces(self, nodes: Iterable["tree.Node"], weight: float) -> Iterator[_Piece | None]:
        """The pieces in order; None stands for a BREAK."""
        for node in nodes:
            match node:
                case tree.Comment():
                    pass
                case tree.Break():
                    yield None
                case tree.Text():
                    yield _Piece(node.text, weight, node.start, node.end, True)
                case tree.Emphasis():
                    yield from self.pieces(node.body, weight * factor(node))
                case tree.Schedule():
                    sides = (node.before, node.after)
                    if isinstance(node.when, tree.Placeholder):
                        yield from self.pieces(max(sides, key=lambda side: self.size(side, weight)), weight)
                    else:
                        yield from self.pieces(sides[self.step > switch(node, self.tally.steps)], weight)
                case tree.Alternation():
                    options = node.options
                    yield from self.pieces(options[(self.step - 1) % len(options)] if options else (), weight)
                case tree.Choice():
                    yield from self.choice(node, weight)
                case tree.Wildcard():
                    yield from self.entries(node, weight, 1, ())
                case tree.Placeholder():
                    yield _Piece(self.value(node), weight, node.start, node.end, False)
                case tree.Network():
                    if node.kind.text == "embedding":
                        yield _Piece(plain(node.name), weight, node.start, node.end, False)
                case _:
                    yield _Piece(plain((node,)), weight, node.start, node.end, False)

    def size(self, nodes: Iterable["tree.Node"], weight: float) -> float:
        return _size(self.tally.total(nodes, self.step, weight))

    def choice(self, node: tree.Choice, weight: float) -> Iterator[_Piece | None]:
        from promptc.choose import bounds, sole_wildcard

        separator = node.separator or tree.Text(node.start, node.start, ", ")
        sole = sole_wildcard(node)
        if sole is not None:
            number = bounds(node, sum(1 for _ in self.tally.entries(sole)))[1]
            yield from self.entries(sole, weight, number, (separator,))
            return
        number = 1 if node.low is None else bounds(node, len(node.options))[1]
        bodies = sorted((one.body for one in node.options), key=lambda body: -self.size(body, weight))
        for turn, body in enumerate(bodies[:number]):
            if turn:
                yield from self.pieces((separator,), weight)
            yield from self.pieces(body, weight)

    def entries(
        self, node: tree.Wildcard, weight: float, number: int, separator: tuple["tree.Node", ...]
    ) -> Iterator[_Piece | None]:
        def size(entry: "Entry") -> float:
            if entry.bare:
                return len(encode(entry.text, self.tally.vocabulary))
            return self.size(entry.body, weight)

        found = sorted(self.tally.entries(node), key=lambda entry: -size(entry))
        for turn, entry in enumerate(found[:number]):
            if turn:
                yield from self.pieces(separator, weight)
            outside, self.tally.home = self.tally.home, entry.home
            inside = list(self.pieces(entry.body, weight))
            self.tally.home = outside
            for piece in inside:
                yield piece and piece._replace(start=node.start, end=node.end, as_is=False)

    def value(self, node: tree.Placeholder) -> str:
        """The longest value of a set, else the default, else nothing."""
        from promptc.types import OneOf
        from promptc.values import show

        known = self.tally.context.find(node.name.text) if self.tally.context is not None else None
        if known is not None and isinstance(known.type, OneOf):
            return max((show(value) for value in known.type.values), key=len, default="")
        if known is not None and not known.required:
            return show(known.default)
        return node.default.text.strip("\"'") if node.default is not None else ""


def _quote(verdict: WindowVerdict, pieces: list[_Piece | None], last: int, vocabulary: Vocabulary) -> WindowVerdict:
    """The verdict with the fullest of its parts, and what that loses."""
    best = verdict._replace(last=last)
    for part in _parts(pieces):
        tokens = [(run, token) for run in _runs(part) for token in encode(_text(run), vocabulary)]
        if len(tokens) <= max(best.tokens, verdict.window):
            continue
        (run, first), (final, end) = tokens[verdict.window], tokens[-1]
        told = "".join(piece.text for piece in part)
        before = sum(len(piece.text) for piece in part[: part.index(run[0])]) if run else 0
        lost = told[before + first.start :].rstrip()
        span = Span(_place(run, first.start), _place(final, end.end, after=True))
        best = best._replace(tokens=len(tokens), lost=lost, span=Span(span.start, max(span.start, span.end)))
    return best


def _parts(pieces: Iterable[_Piece | None]) -> Iterator[list[_Piece]]:
    part: list[_Piece] = []
    for piece in pieces:
        if piece is None:
            yield part
            part = []
        else:
            part.append(piece)
    yield part


def _runs(part: Iterable[_Piece]) -> Iterator[list[_Piece]]:
    """Neighbours of equal weight: they are split into words together."""
    run: list[_Piece] = []
    for piece in part:
        if not piece.text:
            continue
        if run and run[-1].weight != piece.weight:
            yield run
            run = []
        run.append(piece)
    if run:
        yield run


def _text(run: Iterable[_Piece]) -> str:
    return "".join(piece.text for piece in run)


def _place(run: list[_Piece], offset: int, *, after: bool = False) -> int:
    """Where a character of a run stands in the prompt, or with `after` where the one before the offset ends."""
    starts = [0]
    for piece in run[:-1]:
        starts.append(starts[-1] + len(piece.text))
    at = bisect_right(starts, offset - after) - 1
    piece = run[at]
    if not piece.as_is:
        return piece.end if after else piece.start
    return piece.start + offset - starts[at]
