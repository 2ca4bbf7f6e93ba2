"""`Run`: what a simulation gives back, and its certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.faces import constraint_rate, constraint_residual, constraint_velocity
from cotree.dynamics.faces import energy
from cotree.formulations.forward import forward_dynamics
from cotree.integrate.certificate import certificate
from cotree.integrate.crossings import Crossing
from cotree.integrate.events import Occurrence
from cotree.integrate.settings import Settings
from cotree.kinematics.poses import poses
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class EnergyHistory:
    """Joules at each time; supplied by loads, motors and drivers, and dissipated by dampers, since the start."""

    kinetic: Array
    potential: Array
    supplied: Array
    dissipated: Array

    @property
    def total(self) -> Array:
        return self.kinetic + self.potential

    @property
    def balance(self) -> Array:
        """What the books leave open: change of the total minus supplied plus dissipated work."""
        return self.total - self.total[0] - self.supplied + self.dissipated


@dataclass(frozen=True, eq=False)
class Run:
    """Times t (k,), coordinates q (k, nq), velocities v (k, nv).

    status: "done", "event" (a terminal one), "interrupted" or "failed", with a message; everything up to the last good state is
    there. events: what happened when; crossings: singular configurations on the way; statistics: counts by name.
    """

    system: System = field(repr=False)
    t: Array = field(repr=False)
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    status: str
    message: str
    statistics: dict[str, Any]
    settings: Settings = field(default_factory=Settings, repr=False)
    events: tuple[Occurrence, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    work: Array = field(default_factory=lambda: np.zeros((0, 2)), repr=False)  # (k, 2): supplied and dissipated

    @cached_property
    def energy(self) -> EnergyHistory:
        """Kinetic and potential energy at each time, and the work done."""
        found = [energy(self.system, q, v) for q, v in zip(self.q, self.v, strict=True)]
        kinetic, potential = np.array([e.kinetic for e in found]), np.array([e.potential for e in found])
        return EnergyHistory(kinetic, potential, self.work[:, 0], self.work[:, 1])

    @cached_property
    def violation(self) -> Array:
        """Largest entry of the constraint residual at each time, over all rows, also those that regularization dropped."""
        pairs = zip(self.q, self.t, strict=True)
        return np.array([_largest(constraint_residual(self.system, q, t, regularized=False)) for q, t in pairs])

    @cached_property
    def velocity_violation(self) -> Array:
        """Largest entry of J v - b at each time."""
        return np.array([_largest(_left_over(self.system, *s)) for s in zip(self.q, self.v, self.t, strict=True)])

    def poses(self) -> Array:
        """(k, n_bodies + 1, 4, 4)."""
        return np.array([poses(self.system, q) for q in self.q])

    def reactions(self, joint: str) -> Array:
        """(k, 6): (moment, force) [N m, N] that a joint transmits to its child, in world axes about the world's origin."""
        states = zip(self.q, self.v, self.t, strict=True)
        found = [forward_dynamics(self.system, q, v, t=t).reaction(joint) for q, v, t in states]
        return np.array(found).reshape(-1, 6)

    def resume(self, t_end: float, **options: Any) -> Run:
        """The run continued to t_end with the same settings; options: output, events, progress as for `simulate`."""
        return _upstairs("cotree.integrate.resume", "resume")(self, t_end, **options)

    def save(self, path: Any) -> None:
        """Write an HDF5 file with the model, settings and results; `ct.load_run` reads it."""
        _upstairs("cotree.io", "save_run")(self, path)

    def to_xarray(self) -> Any:
        """Labelled dataset over time, with units."""
        return _upstairs("cotree.io", "to_xarray")(self)

    def to_dataframe(self) -> Any:
        """Table over time."""
        return _upstairs("cotree.io", "to_dataframe")(self)

    def plot(self, path: Any = None) -> Any:
        """Figure of coordinates, energies and violations over time, with events; written to `path` when that is given."""
        return _upstairs("cotree.view", "plot_run")(self, path)

    def html(self, path: Any) -> None:
        """Write one HTML page that plays the run in a browser, with plots and certificate; it needs no network."""
        _upstairs("cotree.view", "write_page")(self, path)

    def __str__(self) -> str:
        return certificate(self)


def _upstairs(module: str, name: str) -> Any:
    """A function of a higher layer, which a run offers as a method; loaded when it is called."""
    return getattr(import_module(module), name)


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))


def _left_over(system: System, q: Array, v: Array, t: float) -> Array:
    return constraint_velocity(system, q, v, t, regularized=False) - constraint_rate(system, q, t, regularized=False)
