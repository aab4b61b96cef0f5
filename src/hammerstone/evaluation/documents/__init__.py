"""How well questions about documents are answered, and refused where they do not say it."""
