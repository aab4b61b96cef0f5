"""Rounds of evolution."""
