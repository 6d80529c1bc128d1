"""What cells and released values mean: labels, numbers, ranges, hierarchies."""
