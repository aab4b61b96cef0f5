"""What is owned and reused: tools and their versions, search, caches, policies."""
