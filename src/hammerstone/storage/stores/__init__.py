"""All SQL: one store a noun, grouped by what the nouns are about."""
