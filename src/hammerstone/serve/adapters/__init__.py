"""Library tools for other frameworks, and functions of yours for the library."""
