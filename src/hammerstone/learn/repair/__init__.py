"""From a recorded failure to a proven fix."""
