"""What use came to, as numbers."""
