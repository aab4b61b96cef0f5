"""Makes tools: spec, tests and code by separate authors, cross-examined before they count."""
