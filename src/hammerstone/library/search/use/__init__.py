"""What use teaches search."""
