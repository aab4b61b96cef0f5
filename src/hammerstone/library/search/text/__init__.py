"""Requests and tools as words."""
