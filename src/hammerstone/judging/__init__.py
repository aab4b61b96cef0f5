"""The one place that judges values: whether two are equal, and what a value says to a person."""
