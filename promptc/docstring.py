"""The prompt of a `@prompt.function`: its docstring, cleaned as Python's tools clean one.

Tabs become blanks, the indentation that the lines after the first share goes, and so do empty lines at both ends. An
interpreter that already dedents docstrings when it compiles (3.13 and later) changes nothing in the result.
"""

TAB = 8


def cleandoc(docstring: str) -> str:
    """The prompt that a docstring holds."""
    return clean(docstring)[0]


def clean(docstring: str) -> tuple[str, list[int]]:
    """The prompt that a docstring holds, and for each of its characters the offset in the docstring it comes from.

    The blanks that a tab expands to all come from that tab.
    """
    text, places = _expand(docstring)
    lines: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        lines.append((start, start + len(line)))
        start += len(line) + 1
    indents = [_indent(text, start, end) for start, end in lines[1:]]
    margin = min(
        (indent for indent, (start, end) in zip(indents, lines[1:], strict=True) if indent < end - start), default=0
    )
    start, end = lines[0]
    lines[0] = (start + _indent(text, start, end), end)
    lines[1:] = [(min(start + margin, end), end) for start, end in lines[1:]]
    full = [index for index, (start, end) in enumerate(lines) if start < end]
    if not full:
        return "", []
    kept: list[int] = []
    for index in range(full[0], full[-1] + 1):
        start, end = lines[index]
        kept.extend(range(start, end))
        if index < full[-1]:
            kept.append(end)
    return "".join([text[index] for index in kept]), [places[index] for index in kept]


def _expand(docstring: str) -> tuple[str, list[int]]:
    text: list[str] = []
    places: list[int] = []
    column = 0
    for offset, character in enumerate(docstring):
        width = TAB - column % TAB if character == "\t" else 1
        text.append(" " * width if character == "\t" else character)
        places.extend([offset] * width)
        column = 0 if character in "\r\n" else column + width
    return "".join(text), places


def _indent(text: str, start: int, end: int) -> int:
    indent = start
    while indent < end and text[indent] == " ":
        indent += 1
    return indent - start
