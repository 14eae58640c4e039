"""Rules about placeholders and braces."""
