"""Whether all is well, and what is done so that it stays well."""
