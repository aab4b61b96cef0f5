"""Skills made from documentation."""
