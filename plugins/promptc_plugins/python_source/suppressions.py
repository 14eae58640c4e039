"""`# promptc: ignore[CODE]` in Python comments: for the prompt that the comment stands beside, or right above."""

import io
import tokenize
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from promptc.source import Source, Span
from promptc.suppress import Suppression, read
from promptc_plugins.python_source.literals import Lines

if TYPE_CHECKING:
    from promptc_plugins.python_source.find import Embedded

_NO_CODE = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})


def suppressions(source: Source, prompts: "Sequence[Embedded]") -> Iterator[Suppression]:
    """The suppressions of a source that is valid Python. One that stands at no prompt counts for nothing."""
    if "promptc:" not in source.text:
        return
    lines = Lines(source.text)
    tokens = list(tokenize.generate_tokens(io.StringIO(source.text).readline))
    code = sorted({token.start[0] for token in tokens if token.type not in _NO_CODE})
    reach = [_reach(source, prompt) for prompt in prompts]
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            at = lines.character(row, column)
            beside = [span for first, last, span in reach if first <= row <= last]
            below = next((line for line in code if line > row), None)
            above = [span for first, _, span in reach if first == below] if row not in code else []
            scopes = beside or above or [Span(at, at)]
            scope = Span(min(span.start for span in scopes), max(span.end for span in scopes))
            if (found := read(token.string, at, scope)) is not None:
                yield found


def _reach(source: Source, prompt: "Embedded") -> tuple[int, int, Span]:
    """The first and last line of a prompt with its call or decorator, and the span of both."""
    text = prompt.fragment.span(0, len(prompt.fragment.text))
    span = Span(min(prompt.span.start, text.start), max(prompt.span.end, text.end))
    return source.position(span.start).line, source.position(span.end).line, span
