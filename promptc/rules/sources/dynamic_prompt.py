"""A prompt in Python that is no literal.

## What it does
Warns where `prompt(…)` or `Template[…](…)` is given an f-string, a text that is put together, or something else that
is known only when the program runs.

## Why is this bad
Nothing can be checked before it runs, and a value becomes part of the prompt's syntax: a bracket in it is a bracket.

## Example
```
from promptc import prompt

card = prompt(f"portrait of {name}")
```

## Use instead
```
from promptc import prompt

card = prompt("portrait of {name}")
card(name=name)
```

`promptc migrate --from fstring` rewrites f-strings.
"""

from promptc.rules import Case

CODE, NAME, SEVERITY = "W0941", "dynamic-prompt", "warning"
# What is no literal has no tree: the reader of Python sources reports it.
VALID = (Case("card.py", files={"card.py": b'from promptc import prompt\ncard = prompt("portrait of {name}")\n'}),)
INVALID = (
    Case("card.py", files={"card.py": b'from promptc import prompt\ncard = prompt(f"portrait of {name}")\n'}),
    Case("card.py", files={"card.py": b'from promptc import prompt\ncard = prompt("portrait of " + name)\n'}),
)
