"""Proofs that are owed for answers given already: stored, done when nobody waits, told."""
