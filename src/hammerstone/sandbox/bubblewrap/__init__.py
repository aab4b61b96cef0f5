"""Guests in namespaces and cgroups, started by bubblewrap, without any daemon."""
