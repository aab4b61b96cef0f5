"""Work between requests, in turns: what a job is, who runs it when, and what it costs and saves."""
