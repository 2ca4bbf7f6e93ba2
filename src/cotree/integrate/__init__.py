"""Munthe-Kaas integration, stabilization, and the driver."""

from cotree.integrate.run import Run
from cotree.integrate.simulate import simulate

__all__ = ["Run", "simulate"]
