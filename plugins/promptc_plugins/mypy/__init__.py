"""The mypy plug-in: types `prompt("…")` by its placeholders, and checks prompts inside their literals.

Set `plugins = ["promptc.mypy"]` in mypy's configuration.
"""

from promptc_plugins.mypy.plugin import plugin

__all__ = ["plugin"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from promptc_plugins.mypy.version import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
