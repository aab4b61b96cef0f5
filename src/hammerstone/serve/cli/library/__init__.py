"""Commands for what the library owns."""
