"""What one request leaves behind: sessions, messages, runs, steps, values, files."""
