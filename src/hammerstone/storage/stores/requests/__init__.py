"""What people asked, said and were given."""
