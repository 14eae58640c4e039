"""A Python source that cannot be read.

## What it does
Warns of a file that holds prompts and is no valid Python for the version that promptc runs on.

## Why is this bad
Its prompts are not checked.

## Example
```
from promptc import prompt
card = prompt("a fox"
```

## Use instead
```
from promptc import prompt
card = prompt("a fox")
```
"""

from promptc.rules import Case

CODE, NAME, SEVERITY = "W0942", "python-syntax", "warning"
# A file without a syntax tree holds no prompt: the reader of Python sources reports it.
VALID = (Case("card.py", files={"card.py": b'from promptc import prompt\ncard = prompt("a fox")\n'}),)
INVALID = (Case("card.py", files={"card.py": b'from promptc import prompt\ncard = prompt("a fox"\n'}),)
