"""Measurements of the whole engine; imported only by the commands that make them."""
