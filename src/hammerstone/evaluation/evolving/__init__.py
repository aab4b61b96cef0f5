"""Suites run for evolution: in copies of the product, with changes that are not in force."""
