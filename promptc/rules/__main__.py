"""`python -m promptc.rules`: write the index of the rules anew, after one was added or wants other nodes."""

from pathlib import Path

from promptc.rules import index

HEAD = '''"""Which nodes each rule wants, so that a check imports only the rules that it needs.

Written by `python -m promptc.rules`; a test keeps it up to date.
"""

INDEX: dict[str, tuple[str, ...]] = {
'''


def render() -> str:
    """The text of `index.py`."""
    lines = []
    for name, nodes in sorted(index().items()):
        listed = ", ".join(f'"{node}"' for node in nodes) + ("," if len(nodes) == 1 else "")
        lines.append(f'    "{name}": ({listed}),\n')
    return HEAD + "".join(lines) + "}\n"


if __name__ == "__main__":
    Path(__file__).with_name("index.py").write_text(render(), encoding="utf-8")
