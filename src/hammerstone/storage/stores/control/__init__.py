"""Who may do what, and what is stopped."""
