"""Equivalence classes: what rows are grouped by, and the sizes and values of each class."""
