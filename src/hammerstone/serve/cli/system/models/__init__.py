"""Models and adapters."""
