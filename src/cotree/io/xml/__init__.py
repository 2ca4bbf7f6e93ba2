"""XML read safely: elements within bounds, and the numbers, names and poses in them."""
