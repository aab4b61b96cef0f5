"""Why runs fail and how good they were: what is known, and who judges it."""
