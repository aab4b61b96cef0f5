"""The scoreboard in a terminal."""
