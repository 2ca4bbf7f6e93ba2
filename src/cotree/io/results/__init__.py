"""Results files, and runs as labelled tables."""
