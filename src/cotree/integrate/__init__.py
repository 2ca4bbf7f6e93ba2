"""Munthe-Kaas integration, stabilization, events, and the driver."""

from cotree.integrate.events.event import Event
from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate

__all__ = ["Event", "Run", "simulate"]
