"""The smallest sets of columns on which a row is alone, found by engines."""
