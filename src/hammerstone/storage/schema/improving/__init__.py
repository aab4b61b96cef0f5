"""Tables of learning, experiments, evaluations and evolution."""
