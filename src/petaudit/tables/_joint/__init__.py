"""Several tables in common codes: what searches for people compare."""
