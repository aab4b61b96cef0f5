"""A thousand requests over forty sessions, with learning and without it."""
