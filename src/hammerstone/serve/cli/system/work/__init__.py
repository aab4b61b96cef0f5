"""Work that nobody waits for: triggers and workers."""
