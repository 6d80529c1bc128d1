"""The search for the best de-identification that keeps limits, on counted combinations."""
