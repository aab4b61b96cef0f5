"""What changed, what is proposed, and taking it back."""
