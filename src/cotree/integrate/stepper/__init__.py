"""Steps one by one, from Python: control loops, learning environments, co-simulation."""
