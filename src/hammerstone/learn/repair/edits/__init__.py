"""Small edits of a program, by what they change."""
