"""One request, from its text to its answer."""
