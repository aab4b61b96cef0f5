"""Evolution: why runs fail, which change is the cheapest that could help, and whether it did."""
