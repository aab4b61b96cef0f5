"""What search knows of every tool: in memory, or fetched for a large library."""
