"""Whether the best tool fits at all: signals, the gate, and how good it is."""
