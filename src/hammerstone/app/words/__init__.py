"""What is stored, in words for people."""
