"""Rules about what fits into an encoder."""
