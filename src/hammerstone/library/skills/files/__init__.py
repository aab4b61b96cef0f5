"""A skill as files: read, kept, exported."""
