"""What the library's upkeep needs."""
