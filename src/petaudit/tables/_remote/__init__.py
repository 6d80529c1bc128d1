"""Counting where the rows live: nothing but aggregates comes from there."""
