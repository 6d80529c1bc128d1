"""Exact numbers: fractions, logarithms, distances."""
