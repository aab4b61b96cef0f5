"""Code that models write: read out of replies, made readable, headed as a spec says."""
