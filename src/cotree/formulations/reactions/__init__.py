"""Reactions: wrenches of constraints on bodies, self-stress, and what joints transmit."""
