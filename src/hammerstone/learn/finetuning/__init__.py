"""Fine-tuning: what may be trained on, the trainer as a command, and what its product must win."""
