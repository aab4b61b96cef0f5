"""What runs inside a sandbox: standard library only, the same files for every backend."""
