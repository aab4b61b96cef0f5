"""What a request says: values, parts, mentions of earlier results, examples."""
