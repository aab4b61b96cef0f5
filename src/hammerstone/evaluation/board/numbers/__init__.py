"""Numbers of a run: metrics, intervals, comparisons, what is held."""
