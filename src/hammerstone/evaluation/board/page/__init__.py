"""The scoreboard as a page."""
