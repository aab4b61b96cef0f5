"""What was learned: proposals, patterns, analyses."""
