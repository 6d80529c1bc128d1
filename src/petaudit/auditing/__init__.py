"""One audit: what is run, judged and kept."""
