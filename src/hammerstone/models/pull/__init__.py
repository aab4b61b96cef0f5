"""Model files: where they come from, fetched so that only the right bytes stay."""
