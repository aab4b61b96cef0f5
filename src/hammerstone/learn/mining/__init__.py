"""What people do again and again: relationships between tools, and patterns."""
