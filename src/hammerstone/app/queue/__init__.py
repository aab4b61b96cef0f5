"""Requests that wait for their turn: here, or stored for whichever worker comes first."""
