"""Arguments of a call, read from the request."""
