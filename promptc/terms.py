"""The terms that a meaning is made of: the numbers and the text that nodes stand for, whatever the run."""

from collections.abc import Callable, Iterable, Iterator

from promptc import tree

EMPHASIS = 1.1


def number(node: "tree.Number | tree.Placeholder | tree.Value | None", default: float) -> float:
    """The number that a weight means; `default` where none is written or none is known yet."""
    match node:
        case tree.Number(value=float() | int() as value):
            return float(value)
        case tree.Value(value=bool()):
            return default
        case tree.Value(value=float() | int() as value):
            return float(value)
        case tree.Value(text=text) | tree.Placeholder(default=tree.Text(text=text)):
            return _read(text, default)
    return default


def _read(text: str, default: float) -> float:
    try:
        return float(text)
    except ValueError:
        return default


def factor(node: tree.Emphasis) -> float:
    """What emphasis multiplies weights by."""
    if node.weight is None:
        return EMPHASIS if node.bracket == "(" else 1 / EMPHASIS
    return number(node.weight, 1.0)


def switch(node: tree.Schedule, steps: int) -> int:
    """The last step of a schedule's first text: 0 if it never shows, `steps` if it always does."""
    when = node.when
    text = when.text if isinstance(when, tree.Number | tree.Value) else when.default.text if when.default else ""
    text = text.strip()
    try:
        if text.endswith("%"):
            from fractions import Fraction  # few prompts have one

            found = int(Fraction(text[:-1].strip()) * steps / 100)
        elif "." in text:
            found = int(float(text) * steps)
        else:
            found = int(text)
    except (ValueError, OverflowError):
        return steps
    return max(0, min(found, steps))


def plain(nodes: Iterable["tree.Node"]) -> str:
    """The text of nodes: escapes and literal braces resolved, comments left out, placeholders as `{name}`."""
    found: list[str] = []
    for node in walk(nodes, into=lambda node: not isinstance(node, tree.Placeholder)):
        match node:
            case tree.Comment():
                pass
            case tree.Escape() | tree.Raw():
                found.append(node.value)
            case tree.Placeholder():
                found.append(f"{{{node.name.text}}}")
            case _:
                found.append(getattr(node, "text", ""))
    return "".join(found)


def written(nodes: Iterable["tree.Node"]) -> str:
    """The text of nodes as written, without networks (embeddings stay) and comments."""
    found: list[str] = []
    swallow = False
    for node in walk(nodes, into=lambda node: not untold(node)):
        if isinstance(node, tree.Network) and untold(node):
            swallow = not found or found[-1][-1].isspace()
        elif not untold(node) and (text := getattr(node, "text", "")):
            text = text.lstrip() if swallow else text
            if text:
                found.append(text)
                swallow = False
    return "".join(found)


def untold(node: "tree.Node") -> bool:
    return isinstance(node, tree.Comment) or (isinstance(node, tree.Network) and node.kind.text != "embedding")


def walk(
    nodes: Iterable["tree.Node"], into: "Callable[[tree.Node], bool]" = lambda node: True
) -> Iterator["tree.Node"]:
    """Nodes and all that is in them, in source order."""
    pending = list(nodes)[::-1]
    while pending:
        node = pending.pop()
        yield node
        parts: tuple[tree.Node, ...] = getattr(node, "parts", ())
        if parts and into(node):
            pending.extend(reversed(parts))


def bodies(root: tree.Root) -> list[tuple["tree.Node", ...]]:
    """What each branch tells: its nodes, without the blanks at the ends of the prompt and before a weight."""
    found = [list(branch.body) for branch in root.branches]
    if found:
        _trim(found[0], 0)
    for branch, body in zip(root.branches, found, strict=True):
        if branch is root.branches[-1] or branch.weight is not None:
            _trim(body, -1)
    return [tuple(body) for body in found]


def _trim(body: list["tree.Node"], end: int) -> None:
    """Cut blanks off one end (0 or -1) of a body, past what is not told."""
    passed: list[tree.Node] = []
    while body:
        node = body.pop(end)
        if untold(node):
            passed.append(node)
        elif isinstance(node, tree.Text):
            text = node.text.rstrip() if end else node.text.lstrip()
            if not text:
                continue
            cut = len(node.text) - len(text)
            start, stop = (node.start, node.end - cut) if end else (node.start + cut, node.end)
            passed.append(tree.Text(start, stop, text))
            break
        else:
            passed.append(node)
            break
    if end:
        body.extend(reversed(passed))
    else:
        body[:0] = passed
