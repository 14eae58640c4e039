"""Rules about the sources that prompts stand in."""
