"""A session's values and files, step by step."""
