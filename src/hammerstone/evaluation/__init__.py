"""Measurements of the product on data with known answers; only `serve` imports it, when asked."""
