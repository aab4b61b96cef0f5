"""What models are given here beyond what ships: own prompts and adapters."""
