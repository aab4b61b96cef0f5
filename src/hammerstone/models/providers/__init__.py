"""Models behind somebody's HTTP interface, through pydantic-ai."""
