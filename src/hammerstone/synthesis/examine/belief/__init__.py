"""Who is believed, and how far: behaviours, voices, and the calibrated chance of being right."""
