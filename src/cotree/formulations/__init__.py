"""Constrained dynamics: one problem, several formulations."""

from cotree.formulations.forward import forward_dynamics

__all__ = ["forward_dynamics"]
