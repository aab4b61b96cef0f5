"""A skill's scripts at work in the sandbox."""
