"""Puts the parts together; the engine only forwards."""
