"""What a request does, shown while it happens."""
