"""Requests and tools as vectors."""
