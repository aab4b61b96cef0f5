"""Stored work: jobs, turns, leases, triggers, workers."""
