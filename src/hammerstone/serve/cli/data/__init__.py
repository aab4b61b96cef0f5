"""Commands for what is kept: database, traces, figures."""
