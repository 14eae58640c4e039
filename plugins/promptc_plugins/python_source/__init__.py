"""Finds the prompts in a Python source: `prompt("…")`, `Template[Context]("…")` and `@prompt.function`.

Only names that come from promptc count, whatever they are called here; the source is read, never run.
"""

from promptc_plugins.python_source.find import Embedded, Found, Reference, find

__all__ = ["Embedded", "Found", "Reference", "find"]
