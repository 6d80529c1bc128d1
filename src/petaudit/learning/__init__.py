"""Training the same model on two tables and testing both on the same original rows."""
