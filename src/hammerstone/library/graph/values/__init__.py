"""Which value of one tool another can take."""
