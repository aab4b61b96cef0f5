"""What is learned between requests, and what it rests on."""
