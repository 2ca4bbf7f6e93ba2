"""Stabilizations: how a step is brought back to the constraints."""
