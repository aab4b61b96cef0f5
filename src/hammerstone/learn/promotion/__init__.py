"""From a proposal to a decision: evidence, verdict, gate, probation."""
