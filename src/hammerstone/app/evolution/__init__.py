"""Evolution put together: judges, tracks, the monitor, and what a person sees of them."""
