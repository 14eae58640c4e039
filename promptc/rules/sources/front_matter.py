"""A front matter that cannot be used.

## What it does
Reports a front matter that is not closed, is no YAML, is no mapping, or has a key that promptc does not know.

## Why is this bad
What the front matter was to say (the types of the placeholders, the model, the negative prompt) would not count.

## Example
```
---
parms:
  subject: str
---
portrait of {subject}
```

## Use instead
```
---
params:
  subject: str
---
portrait of {subject}
```
"""

from promptc.rules import Case

CODE, NAME, SEVERITY = "E0951", "front-matter", "error"
# The front matter stands outside of the prompt: `promptc.front_matter` reports it.
VALID = (Case("card.prompt", files={"card.prompt": b"---\nparams:\n  subject: str\n---\na {subject}\n"}),)
INVALID = (
    Case("card.prompt", files={"card.prompt": b"---\nparms:\n  subject: str\n---\na fox\n"}),
    Case("card.prompt", files={"card.prompt": b"---\nmodel: [landscape\n---\na fox\n"}),
    Case("card.prompt", files={"card.prompt": b"---\nmodel: landscape\n"}),
)
