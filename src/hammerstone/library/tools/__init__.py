"""Tools: the registry, what proves and verifies them, their folders, copies and upkeep."""
