"""Steps carried out: calls, leave, recovery."""
