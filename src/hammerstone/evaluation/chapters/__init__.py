"""The measurements of the scoreboard, a few in each file."""
