"""Cross-examination: which candidate is right, which cases are, and how sure that is."""
