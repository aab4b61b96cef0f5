"""Words and seams: value objects, protocols, errors, settings, clock. No I/O."""
