"""Skills put together."""
