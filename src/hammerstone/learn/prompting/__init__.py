"""Prompts that are searched for: other instructions, tried on cases, promoted by the gate."""
