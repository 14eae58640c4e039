"""A prompt function without a docstring.

## What it does
Reports a function under `@prompt.function` whose first statement is no plain string literal.

## Why is this bad
The docstring is the prompt. Without one there is nothing to make a picture from.

## Example
```
@prompt.function
def scene(subject: str) -> Prompt:
    return f"{subject} at dawn"
```

## Use instead
```
@prompt.function
def scene(subject: str) -> Prompt:
    \"\"\"{subject} at dawn\"\"\"
```
"""

from promptc.rules import Case

CODE, NAME, SEVERITY = "E0943", "no-docstring", "error"
_HEAD = b"from promptc import prompt, Prompt\n\n\n@prompt.function\ndef scene(subject: str) -> Prompt:\n"
# Without a literal there is no tree: the reader of Python sources reports it.
VALID = (Case("card.py", files={"card.py": _HEAD + b'    """{subject} at dawn"""\n'}),)
INVALID = (Case("card.py", files={"card.py": _HEAD + b'    return f"{subject} at dawn"\n'}),)
