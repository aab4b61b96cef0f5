"""Commands for asking and what was asked."""
