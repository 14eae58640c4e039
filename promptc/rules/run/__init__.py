"""Rules about what is asked of a run."""
