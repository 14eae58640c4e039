"""promptc inside other tools: Python sources, mypy, libcst."""
