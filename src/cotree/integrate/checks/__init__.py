"""Checks of a run, before, during and after it: what it warns of."""
