"""What opens and counts a table: DuckDB, a caller's frame, Spark, PostgreSQL."""
