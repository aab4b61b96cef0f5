"""Which tools answer a request, and in which steps."""
