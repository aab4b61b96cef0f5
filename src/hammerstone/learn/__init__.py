"""Between requests: what was recorded becomes proposals, and the gate decides about each."""
