"""A suppression that suppresses nothing.

## What it does
Reports a code in `# promptc: ignore[…]` that nothing breaks where the comment counts, a code that no rule has, and a
comment that names no code.

## Why is this bad
The comment says that something is wrong here and meant so. When nothing is, it misleads, and it would hide the
mistake that someone makes later.

## Example
```
# promptc: ignore[E1001]
a (red:1.2) fox
```

## Use instead
```
a (red:1.2) fox
```
"""

from promptc.rules import Case

CODE, NAME, SEVERITY = "W0001", "unused-suppression", "warning"
# What is suppressed is known when all other rules are done: `promptc.suppress` reports it.
VALID = (
    "# promptc: ignore[E1001]\na (red fox",
    "# promptc: ignore[bracket]\na (red fox",
    "snow\n# promptc: ignore[E1001]\na (red fox",
    "# a comment of another kind: ignore[E1001]\nfox",
)
INVALID = (
    Case("# promptc: ignore[⟦E1001⟧]\na (red:1.2) fox", fixed="a (red:1.2) fox"),
    Case("# promptc: ignore[E1001, ⟦E0921⟧]\na (red fox", fixed="# promptc: ignore[E1001]\na (red fox"),
    Case("a fox\n# promptc: ignore[⟦E9999⟧]\nsnow", fixed="a fox\nsnow"),
    Case("⟦# promptc: ignore\n⟧a fox", fixed="a fox"),
)
