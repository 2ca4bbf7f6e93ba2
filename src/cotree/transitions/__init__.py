"""Switching constraints: locks, brakes, limits, docks, and the jumps of velocities that go with them."""

from cotree.transitions.transition import Transition, transition

__all__ = ["Transition", "transition"]
