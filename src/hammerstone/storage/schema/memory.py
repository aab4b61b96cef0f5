"""What is remembered, approvals that wait, and the stop switch."""
