"""The classes of a table: what rows are grouped by, and what is in each group."""
