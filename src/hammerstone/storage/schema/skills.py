"""Agent Skills and the skill graph."""
