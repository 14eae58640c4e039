"""Choices and wildcards: how many prompts they make, all of them, one by chance, or one that was picked before.

A pick is written down as a list in reading order: the number of the alternative for a choice, a list of numbers for
a choice of several, the number of the entry for a wildcard; the picks inside what was picked follow. From the
template and its picks the same prompt is made again.

`expand` goes through the alternatives as they are written, the last choice of the prompt fastest, like the digits of a
counter; a choice of several takes fewer before more, and all orders of each. A choice by chance depends on the seed,
the template and the place of the choice alone, so it is the same on every platform, and alone as in a batch.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from promptc.source import Span
from promptc.tree import Choice, Inner, Node, Number, Placeholder, Root, Text, Value, Wildcard
from promptc.wildcards import Entry, WildcardError, Wildcards

LIMIT = 256
"""How many prompts `expand` makes unless it is told otherwise."""
MAX_NESTING = 192
"""How deep a resolved tree may be: wildcards add to the nesting that the parser has bounded."""

Picks: TypeAlias = list[int | list[int]]


class ChoiceError(ValueError):
    """A choice that nothing can be picked from, or picks that do not fit it. `span` is its place in the prompt."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


class TooManyError(ValueError):
    """More prompts than allowed. `factors` are the counts of the choices that are multiplied, in reading order."""

    def __init__(self, count: int, limit: int, factors: Sequence[int]) -> None:
        shown = " x ".join(map(short, factors[:8])) + (" x …" if len(factors) > 8 else "")
        product = f" ({shown})" if len(factors) > 1 else ""
        super().__init__(f"the choices make {short(count)} prompts{product}, and the limit is {limit}")
        self.count, self.limit, self.factors = count, limit, tuple(factors)


class _Alternative(NamedTuple):
    """What can be picked: its nodes, the folder its wildcards start from, and its entry where it is one."""

    nodes: tuple[Node, ...]
    home: str
    entry: Entry | None = None
    weight: Fraction = Fraction(1)


def count(root: Root, wildcards: Wildcards | None = None) -> int:
    """How many prompts the choices make; one written twice counts twice. Raises WildcardError.

    Nothing is enumerated, so 2 ** 1000 is as quick as 8.
    """
    return _Chooser(root, wildcards).total


def factors(root: Root, wildcards: Wildcards | None = None) -> list[int]:
    """The counts whose product `count` is: one for each choice or wildcard that stands in no other."""
    chooser = _Chooser(root, wildcards)
    return [chooser.count(node, "") for node in chooser.variables(root)]


def expand(root: Root, wildcards: Wildcards | None = None, *, limit: int | None = LIMIT) -> Iterator[Root]:
    """All prompts that the choices make, one at a time. Raises TooManyError before the first, WildcardError."""
    return (resolved for resolved, _ in expand_picks(root, wildcards, limit=limit))


def expand_picks(
    root: Root, wildcards: Wildcards | None = None, *, limit: int | None = LIMIT
) -> Iterator[tuple[Root, Picks]]:
    """As `expand`, each with its picks."""
    chooser = _Chooser(root, wildcards)
    if limit is not None and chooser.total > limit:
        raise TooManyError(chooser.total, limit, [chooser.count(node, "") for node in chooser.variables(root)])

    def prompts() -> Iterator[tuple[Root, Picks]]:
        index = 0
        while index < chooser.total:
            picks = chooser.picks_at(index)
            yield chooser.resolve(picks), picks
            index += 1

    return prompts()


def draw(root: Root, seed: int, wildcards: Wildcards | None = None) -> Picks:
    """The picks of a seed. Weights of alternatives count. Raises WildcardError, ChoiceError."""
    return _Chooser(root, wildcards).draw(seed)


def sample(root: Root, seed: int, n: int = 1, wildcards: Wildcards | None = None) -> Iterator[Root]:
    """The prompts of the seeds `seed`, `seed + 1` … `seed + n - 1`. Raises WildcardError, ChoiceError."""
    chooser = _Chooser(root, wildcards)
    return (chooser.resolve(chooser.draw(seed + index)) for index in range(n))


def resolve(root: Root, picks: Sequence[int | Sequence[int]], wildcards: Wildcards | None = None) -> Root:
    """The prompt that recorded picks mean. Raises WildcardError, ChoiceError where they do not fit the template.

    Nodes of alternatives keep their spans; those of a wildcard's entry have the span of the wildcard.
    """
    return _Chooser(root, wildcards).resolve(picks)


def varies(root: Root) -> bool:
    """Whether there is anything to choose."""
    return next(_variables(root), None) is not None


def short(number: int) -> str:
    """A whole number in digits, or as a power of ten where nobody would read them."""
    if number.bit_length() < 200:
        return str(number)
    return f"about 10^{int((number.bit_length() - 1) * math.log10(2))}"


# Counting


class _Chooser:
    """A prompt, its wildcards, and what has been counted of them."""

    def __init__(self, root: Root, wildcards: Wildcards | None) -> None:
        self.root = root
        self.wildcards = wildcards or Wildcards()
        for fault in self.wildcards.faults(root):
            raise WildcardError(fault)
        # Keys are the ids of nodes that live as long as the prompt and its wildcards do.
        self._counts: dict[tuple[int, str], int] = {}
        self._each: dict[tuple[int, str], list[int]] = {}
        self._found: dict[int, list[Choice | Wildcard]] = {}
        self._options: dict[tuple[int, str], list[_Alternative]] = {}
        self._lists: dict[tuple[str, str], list[_Alternative]] = {}
        self.total = self.product(root, "")

    def variables(self, node: Node) -> "list[Choice | Wildcard]":
        if id(node) not in self._found:
            self._found[id(node)] = list(_variables(node))
        return self._found[id(node)]

    def product(self, node: Node, home: str) -> int:
        return math.prod(self.count(each, home) for each in self.variables(node))

    def count(self, node: "Choice | Wildcard", home: str) -> int:
        key = (id(node), home)
        if key not in self._counts:
            self._counts[key] = self._count(node, home)
        return self._counts[key]

    def _count(self, node: "Choice | Wildcard", home: str) -> int:
        counts = self.counts(node, home)
        if isinstance(node, Wildcard) or node.low is None:
            return sum(counts)
        low, high = bounds(node, len(self.alternatives(node, home)))
        powers = _symmetric(counts, high)
        return sum(math.factorial(k) * powers[k] for k in range(low, high + 1))

    def counts(self, node: "Choice | Wildcard", home: str) -> list[int]:
        """The count of each alternative."""
        key = (id(node), home)
        if key not in self._each:
            self._each[key] = [
                math.prod(self.count(each, one.home) for each in self.within(one))
                for one in self.alternatives(node, home)
            ]
        return self._each[key]

    def within(self, one: _Alternative) -> "list[Choice | Wildcard]":
        """The choices and wildcards in an alternative that stand in no other of it."""
        if one.entry is not None:
            return [] if one.entry.plain else self.variables(one.entry.root)
        return [each for node in one.nodes for each in self.variables(node)]

    def alternatives(self, node: "Choice | Wildcard", home: str) -> list[_Alternative]:
        if isinstance(node, Wildcard):
            return self.entries(node, home)
        key = (id(node), home)
        if key not in self._options:
            sole = sole_wildcard(node)
            self._options[key] = (
                self.entries(sole, home)
                if sole is not None
                else [_Alternative(one.body, home, None, _weight(one.weight)) for one in node.options]
            )
        return self._options[key]

    def entries(self, node: Wildcard, home: str) -> list[_Alternative]:
        key = (node.name.text, home)
        if key not in self._lists:
            listings = self.wildcards.find(*key)
            self._lists[key] = [_Alternative((), one.home, one) for listing in listings for one in listing.entries]
        return self._lists[key]

    # Picking

    def picks_at(self, index: int) -> Picks:
        """The picks of the prompt at `index` of `expand`."""
        picks: Picks = []
        self._unrank(self.variables(self.root), "", index, picks)
        return picks

    def _unrank(self, nodes: "list[Choice | Wildcard]", home: str, index: int, picks: Picks) -> None:
        rest = math.prod(self.count(node, home) for node in nodes)
        for node in nodes:
            rest //= self.count(node, home)
            digit, index = divmod(index, rest)
            self._unrank_one(node, home, digit, picks)

    def _unrank_one(self, node: "Choice | Wildcard", home: str, index: int, picks: Picks) -> None:
        counts = self.counts(node, home)
        if isinstance(node, Choice) and node.low is not None:
            picked = _unrank_several(counts, bounds(node, len(counts)), index)
            picks.append([number for number, _ in picked])
        else:
            number = 0
            while index >= counts[number]:
                index -= counts[number]
                number += 1
            picked = [(number, index)]
            picks.append(number)
        for number, inner in picked:
            one = self.alternatives(node, home)[number]
            self._unrank(self.within(one), one.home, inner, picks)

    def draw(self, seed: int) -> Picks:
        picks: Picks = []
        chance = _Chance(seed, _template(self.root))
        self._draw(self.variables(self.root), "", chance, "", picks)
        return picks

    def _draw(self, nodes: "list[Choice | Wildcard]", home: str, chance: "_Chance", path: str, picks: Picks) -> None:
        for at, node in enumerate(nodes):
            here = f"{path}/{at}"
            alternatives = self.alternatives(node, home)
            weights = [one.weight for one in alternatives]
            if isinstance(node, Wildcard) or node.low is None:
                numbers = [self._one(node, weights, chance, here)]
                picks.append(numbers[0])
            else:
                low, high = bounds(node, len(self.alternatives(node, home)))
                if low > high:
                    raise ChoiceError(f"{low} are to be picked of {len(alternatives)}", Span(node.start, node.end))
                numbers = []
                for turn in range(low + chance.below(high - low + 1, f"{here}#")):
                    numbers.append(self._one(node, weights, chance, f"{here}#{turn}"))
                    weights[numbers[-1]] = Fraction(0)
                picks.append(list(numbers))
            for turn, number in enumerate(numbers):
                one = alternatives[number]
                self._draw(self.within(one), one.home, chance, f"{here}.{turn}:{number}", picks)

    def _one(self, node: "Choice | Wildcard", weights: list[Fraction], chance: "_Chance", path: str) -> int:
        shared = math.lcm(*(weight.denominator for weight in weights))
        scaled = [int(weight * shared) for weight in weights]
        if not sum(scaled):
            raise ChoiceError("no alternative is left that has a weight", Span(node.start, node.end))
        left = chance.below(sum(scaled), path)
        number = 0
        while left >= scaled[number]:
            left -= scaled[number]
            number += 1
        return number

    # Resolving

    def resolve(self, picks: Sequence[int | Sequence[int]]) -> Root:
        remaining = iter(picks)
        (root,) = self._rewrite(self.root, "", remaining, 0)
        if next(remaining, None) is not None:
            raise ChoiceError("there are more picks than choices", Span(self.root.start, self.root.end))
        assert isinstance(root, Root)
        return root

    def _rewrite(self, node: Node, home: str, picks: Iterator[int | Sequence[int]], depth: int) -> tuple[Node, ...]:
        if not isinstance(node, Inner) or not self.variables(node):
            return (node,)
        if depth > MAX_NESTING:
            raise ChoiceError("wildcards make the prompt nest too deep", Span(self.root.start, self.root.end))
        if isinstance(node, Choice | Wildcard):
            return self._picked(node, home, picks, depth)
        made: dict[int, tuple[Node, ...]] = {
            id(part): self._rewrite(part, home, picks, depth + 1) for part in node.parts
        }

        def renew(item: Any) -> Any:
            if isinstance(item, tuple):
                if item and isinstance(item[0], tuple):
                    return tuple(renew(each) for each in item)
                return tuple(new for each in item for new in made.get(id(each), (each,)))
            return made.get(id(item), (item,))[0]

        return (type(node)(*(renew(getattr(node, field.name)) for field in fields(node))),)

    def _picked(
        self, node: "Choice | Wildcard", home: str, picks: Iterator[int | Sequence[int]], depth: int
    ) -> tuple[Node, ...]:
        alternatives = self.alternatives(node, home)
        numbers = self._numbers(node, home, next(picks, None))
        found: list[Node] = []
        for turn, number in enumerate(numbers):
            if turn and isinstance(node, Choice):
                found.append(node.separator or Text(node.start, node.start, ", "))
            one = alternatives[number]
            nodes = one.nodes if one.entry is None else one.entry.body
            new = tuple(new for each in nodes for new in self._rewrite(each, one.home, picks, depth + 1))
            found.extend(new if one.entry is None else _located(new, node))
        return tuple(found)

    def _numbers(self, node: "Choice | Wildcard", home: str, pick: "int | Sequence[int] | None") -> Sequence[int]:
        span = Span(node.start, node.end)
        known = len(self.alternatives(node, home))
        several = isinstance(node, Choice) and node.low is not None
        if pick is None:
            raise ChoiceError("there are fewer picks than choices", span)
        if several == isinstance(pick, int):
            raise ChoiceError(
                f"the pick {pick} does not fit: {'a list of numbers' if several else 'one number'} is wanted", span
            )
        numbers = [pick] if isinstance(pick, int) else pick
        if not all(0 <= number < known for number in numbers) or len(set(numbers)) < len(numbers):
            raise ChoiceError(f"the pick {pick} does not fit a choice of {known}", span)
        if isinstance(node, Choice) and several:
            low, high = bounds(node, len(self.alternatives(node, home)))
            if not low <= len(numbers) <= high:
                raise ChoiceError(f"{len(numbers)} are picked, and {low} to {high} are wanted", span)
        return numbers


def _variables(node: Node) -> "Iterator[Choice | Wildcard]":
    """The choices and wildcards in a node that stand in no other."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, Choice | Wildcard):
            yield each
        else:
            pending.extend(reversed(getattr(each, "parts", ())))


def bounds(node: Choice, available: int) -> tuple[int, int]:
    """How many of the available alternatives are picked, from and to. Nothing can be, where from is more than to."""
    low = _whole(node.low, 1)
    return low, min(_whole(node.high, low), available)


def sole_wildcard(node: Choice) -> Wildcard | None:
    """The wildcard of `{2$$__colors__}`: several of its entries are picked, not one of it twice."""
    if node.low is None or len(node.options) != 1:
        return None
    body = [each for each in node.options[0].body if not (isinstance(each, Text) and not each.text.strip())]
    return body[0] if len(body) == 1 and isinstance(body[0], Wildcard) else None


def _whole(node: Number | None, default: int) -> int:
    return default if node is None or node.value is None else max(0, int(node.value))


def _weight(node: Number | None) -> Fraction:
    if node is None or node.value is None or not math.isfinite(node.value):
        return Fraction(1)
    try:
        exact = (
            Fraction(node.text.strip())
            if len(node.text) < 40 and "e" not in node.text.lower()
            else Fraction(node.value)
        )
    except (ValueError, ZeroDivisionError):
        exact = Fraction(node.value)
    return max(exact, Fraction(0))


def _symmetric(counts: Sequence[int], highest: int) -> list[int]:
    """How often `k` alternatives can be taken, in one order, for each k up to `highest`: elementary symmetric sums."""
    sums = [1] + [0] * highest
    for each, times in Counter(counts).items():
        powers = [math.comb(times, k) * each**k for k in range(min(times, highest) + 1)]
        sums = [sum(powers[j] * sums[k - j] for j in range(min(k, len(powers) - 1) + 1)) for k in range(highest + 1)]
    return sums


def _unrank_several(counts: list[int], bounds: tuple[int, int], index: int) -> list[tuple[int, int]]:
    """The alternatives picked at an index, each with the index inside it."""
    low, high = bounds
    sums = _symmetric(counts, high)
    k = low
    while index >= (block := math.factorial(k) * sums[k]):
        index -= block
        k += 1
    left = dict(enumerate(counts))
    picked = []
    for rest in range(k - 1, -1, -1):
        number, index, others = _first(left, rest, index)
        inner, index = divmod(index, others)
        picked.append((number, inner))
        del left[number]
    return picked


def _first(left: dict[int, int], rest: int, index: int) -> tuple[int, int, int]:
    """The first alternative of the order at an index, the index within its block, and the orders of the rest."""
    others: dict[int, int] = {}
    for number, each in left.items():
        if each not in others:  # what may follow depends on the count alone
            values = list(left.values())
            values.remove(each)
            others[each] = math.factorial(rest) * _symmetric(values, rest)[rest]
        if index < each * others[each]:
            return number, index, others[each]
        index -= each * others[each]
    raise IndexError(index)


def _located(nodes: tuple[Node, ...], place: Node) -> tuple[Node, ...]:
    """A copy of the nodes of another text with the span of `place`."""
    made: dict[int, Any] = {}

    def copy(item: Any) -> Any:
        if isinstance(item, tuple):
            return tuple(copy(each) for each in item)
        if not hasattr(item, "start"):
            return item
        if id(item) not in made:
            spans = {"start": place.start, "end": place.end}
            values = {field.name: copy(getattr(item, field.name)) for field in fields(item)} | spans
            made[id(item)] = type(item)(**values)
        return made[id(item)]

    found: tuple[Node, ...] = copy(nodes)
    return found


# Chance


class _Chance:
    """Whole numbers by chance, each a function of the seed, the template and a path."""

    def __init__(self, seed: int, template: bytes) -> None:
        self.base = hashlib.blake2b(b"promptc choose 1\0%d\0%s" % (seed, template), digest_size=32).digest()

    def below(self, limit: int, path: str) -> int:
        """A number in [0, limit), each as likely as any other."""
        if limit == 1:
            return 0
        size = (limit.bit_length() + 7) // 8 + 8
        fair = (1 << 8 * size) // limit * limit
        turn = 0
        while True:
            drawn = int.from_bytes(self._bytes(size, path, turn), "big")
            if drawn < fair:
                return drawn % limit
            turn += 1

    def _bytes(self, size: int, path: str, turn: int) -> bytes:
        blocks = (
            hashlib.blake2b(b"%d\0%d\0%s" % (turn, block, path.encode()), key=self.base).digest()
            for block in range((size + 63) // 64)
        )
        return b"".join(blocks)[:size]


def _template(root: Root) -> bytes:
    """A digest of the prompt's text with its placeholders by name, so that a bound value moves no choice."""
    digest = hashlib.blake2b(digest_size=16)
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Placeholder):
            digest.update(f"{{{node.name.text}}}".encode())
        elif isinstance(node, Value):
            digest.update(f"{{{node.name}}}".encode())
        elif isinstance(node, Inner):
            pending.extend(reversed(node.parts))
        else:
            digest.update(getattr(node, "text", "").encode("utf-8", "surrogatepass"))
    return digest.digest()
