"""What a run did, step by step."""
