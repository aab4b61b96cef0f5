"""Work and who watches it: jobs, leases, stops, proposals, traces, people and what they changed."""
