"""Files and pages as text, with what kept one from being read."""
