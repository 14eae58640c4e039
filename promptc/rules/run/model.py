"""A model that cannot be found.

## What it does
When a prompt is compiled, reports a model that is neither a name that promptc knows nor a folder or file with one.

## Why is this bad
There is nothing to run.

## Example
```
a lighthouse --model landscpe
```

## Use instead
```
a lighthouse --model landscape
```
"""

CODE, NAME, SEVERITY = "E1505", "model", "error"
# Models are looked for when a plan is made: `promptc.request` reports it.
VALID = ("a lighthouse --model landscape",)
INVALID = ("a lighthouse --model landscpe",)
