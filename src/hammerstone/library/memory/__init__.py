"""What is remembered between requests: rules, facts, exchanges, a summary."""

from hammerstone.library.memory.context import Context, Recalled

__all__ = ["Context", "Recalled"]
