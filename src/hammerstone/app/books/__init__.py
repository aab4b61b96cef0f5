"""What is stored of one noun, as somebody may see it."""
