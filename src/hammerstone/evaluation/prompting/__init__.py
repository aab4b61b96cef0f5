"""Prompts tried on requests with known answers."""
