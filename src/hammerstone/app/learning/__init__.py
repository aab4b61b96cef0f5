"""Learning between requests, put together, and what it came to."""
