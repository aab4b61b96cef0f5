"""Whole solutions of a request: sampled, run, voted on, and how sure the answer is."""
