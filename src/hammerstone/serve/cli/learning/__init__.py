"""Commands for what happens between requests."""
