"""How well requests are read: measured on cases that others wrote."""
