"""Rules about suppressions."""
