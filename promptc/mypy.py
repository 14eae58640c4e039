"""The mypy plug-in under a short name: `plugins = ["promptc.mypy"]`.

mypy takes the version that its cache is judged by from the module named in the setting, so it is forwarded too.
"""

from promptc_plugins.mypy import plugin

__all__ = ["plugin"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from promptc_plugins.mypy.version import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
