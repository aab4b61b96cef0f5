"""The command line. One file for each command group; heavy imports inside the commands."""
