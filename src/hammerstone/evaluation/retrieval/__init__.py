"""How well tools are found, measured on labelled requests."""
