"""Looking after tools: proved, examined again, kept in order, used by skills."""
