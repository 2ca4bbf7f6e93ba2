"""Inverse dynamics with loops: forces of the actuators that produce a motion."""
