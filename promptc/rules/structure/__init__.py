"""Rules about brackets, weights, schedules and keywords."""
