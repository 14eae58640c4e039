"""The dialects: one module each, to print a tree as that dialect spells it."""
