"""Plain needs with programs as truth: each in several wordings, with values made by chance."""
