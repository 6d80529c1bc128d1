"""Attacks on synthetic tables: rows of several tables as points, and the search for the nearest."""
