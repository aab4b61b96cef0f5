"""A skill at work: the steps of its plan, its scripts in the sandbox."""
