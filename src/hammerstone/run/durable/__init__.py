"""Runs that outlive their process: stored with what they were asked, held, and taken up again."""
