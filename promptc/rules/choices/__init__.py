"""Rules about choices and wildcards."""
