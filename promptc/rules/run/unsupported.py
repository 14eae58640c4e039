"""Something that this version checks, and does not run.

## What it does
When a prompt is compiled, reports what the runtime cannot do yet: networks, embeddings, style references, and a
negative prompt with `AND`.

## Why is this bad
Leaving it out in silence would make another picture than the one that was asked for.

## Example
```
a lighthouse <lora:ink:0.8>
```

## Use instead
```
a lighthouse, ink drawing
```
"""

CODE, NAME, SEVERITY = "E1504", "unsupported", "error"
# `promptc check` accepts it: `promptc.request` reports it when a plan is made.
VALID = ("a lighthouse",)
INVALID = (
    "a lighthouse <lora:ink:0.8>",
    "a lighthouse --sref https://img.example/a.png",
    "a lighthouse --no fog AND rain",
)
