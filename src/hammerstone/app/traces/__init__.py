"""Traces as people read them, and run again."""
