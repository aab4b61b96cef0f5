"""The database as files: where it is, who holds it, checks, copies, recovery."""
