"""May this happen? Budgets, code scan, requests, loops: what says no, and why."""
