"""Training of `landscape`, the small text-to-image model that ships with the runtime (not part of the wheel)."""
