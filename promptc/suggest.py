"""The one name that a misspelt name most likely means."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The closest of `known`, or None where nothing is close enough to be worth saying.

    Close is: the same but for case and word separators, a beginning (of three letters or more) of one known name
    only, every word of it in order, or few edits for its length (a swap of two neighbours counts as one).
    """
    candidates = sorted(set(known))
    plain = _plain(name)
    same = [other for other in candidates if _plain(other) == plain]
    if same:
        return same[0]
    # A letter or two may be typed wrongly in a word of any length; a third of a longer word may be.
    limit = max(len(plain), 3) // 3
    scored = [(distance, other) for other in candidates if (distance := edits(plain, _plain(other), limit)) is not None]
    if scored:
        return min(scored)[1]
    if len(plain) >= 3:
        longer = [other for other in candidates if _plain(other).startswith(plain) or _has_words(name, other)]
        if len(longer) == 1:
            return longer[0]
    return None


def edits(one: str, other: str, limit: int) -> int | None:
    """How many insertions, deletions, replacements or swaps of neighbours lie between two texts; None if over `limit`."""
    if abs(len(one) - len(other)) > limit:
        return None
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        if min(row) > limit:
            return None
        before, last = last, row
    return last[-1] if last[-1] <= limit else None


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def _has_words(name: str, other: str) -> bool:
    words = _plain(name).split("_")
    rest = iter(_plain(other).split("_"))
    return len(words) > 1 and all(word in rest for word in words)
