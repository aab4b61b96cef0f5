"""From whole solutions of one request to a tool that can be proved."""
