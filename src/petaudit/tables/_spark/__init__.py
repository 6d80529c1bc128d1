"""Counting on a Spark cluster."""
