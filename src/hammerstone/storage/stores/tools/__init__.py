"""Tools, their versions, and what is thought of them."""
