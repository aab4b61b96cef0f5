"""Hammerstone as an agent that other agents find and give tasks to (extra `a2a`)."""
