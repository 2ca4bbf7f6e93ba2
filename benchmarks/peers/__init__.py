"""The mechanisms of the simulation benchmark in Cotree and in other programs, all built from one description."""
