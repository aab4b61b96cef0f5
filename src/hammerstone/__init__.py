"""Hammerstone: an agent that builds, proves and reuses its own tools."""
