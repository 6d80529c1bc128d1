"""Counting inside databases."""
