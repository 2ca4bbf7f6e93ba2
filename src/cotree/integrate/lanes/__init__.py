"""Several runs at once, on lanes."""
