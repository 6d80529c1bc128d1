"""What people read: one HTML file, and the same result for pull requests and CI systems."""
