"""Runs in phases: times during which one set of constraints is active, and the switches between them."""
