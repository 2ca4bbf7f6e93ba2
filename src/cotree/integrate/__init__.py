"""Munthe-Kaas integration, stabilization, events, and the driver."""

from cotree.integrate.events.event import Event
from cotree.integrate.many import Runs, simulate_many
from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate
from cotree.integrate.stepper.stepper import Stepper

__all__ = ["Event", "Run", "Runs", "Stepper", "simulate", "simulate_many"]
