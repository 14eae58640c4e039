"""Text to tree, for the native language: every text has a tree, and every character its leaf.

scan      marks of the text: one expression
brackets  partners; what has none becomes text, and is remembered
forms     what each bracket is, which colons and bars count
lexer     terminals, with their leaves
grammar   the LALR tables; build makes the nodes
"""

from functools import cache
from typing import TYPE_CHECKING, cast

from promptc.tree import Root

if TYPE_CHECKING:
    from lark import Lark


@cache
def _parser() -> "Lark":
    from promptc.parse.grammar import load  # brings Lark in: only who parses pays for it

    return load()


def parse(text: str, *, comments: bool = False) -> Root:
    """The tree of a prompt. Never raises, and takes time in proportion to the text's length.

    With `comments`, a line whose first letter is `#` is a comment.
    """
    from promptc.parse.grammar import Input

    return cast(Root, _parser().parse(cast(str, Input(text, comments))))
