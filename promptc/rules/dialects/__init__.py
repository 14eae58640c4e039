"""Rules about other tools' syntax and the target."""
