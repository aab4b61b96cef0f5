"""Learning from feedback: events are read and judged, and what follows is done."""
