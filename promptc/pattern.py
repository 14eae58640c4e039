"""Regular expressions that are compiled when they are first used: a check knows many, and most prompts need few."""

import re
from typing import Any, AnyStr, cast


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile`, later."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


class _Pattern:
    """Stands for a compiled expression; each method is looked up once."""

    def __init__(self, text: Any, flags: int) -> None:
        self._source = (text, flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)
        return found
