"""A text that a migration leaves as it is.

## What it does
`promptc migrate` names every f-string that it cannot turn into a prompt without a change of meaning: one whose prompt
is kept rather than called, so that there is no place to give the values to.

## Why is this bad
It still has to be rewritten by hand.

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
"""

from promptc.rules import Case

CODE, NAME, SEVERITY = "W0944", "not-migrated", "warning"
# Only a migration says so: `promptc_plugins.codemods` reports it.
VALID = (
    Case(
        "card.py",
        files={"card.py": b'from promptc import prompt\nname = "fox"\ncard = prompt(f"portrait of {name}")()\n'},
    ),
)
INVALID = (Case("card.py", files={"card.py": b'from promptc import prompt\ncard = prompt(f"portrait of {name}")\n'}),)
