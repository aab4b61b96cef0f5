"""Commands for the machine and who uses it: models, sandbox, server, people, health."""
