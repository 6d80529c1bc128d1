"""Singling out: the search for synthetic rows that point at exactly one real row."""
