"""Workflows that people repeat, as one tool."""
