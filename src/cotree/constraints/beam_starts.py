"""Configurations by name of mechanisms with beams: led there by small steps, after each of which beams take their shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_residual
from cotree.constraints.assembly import assemble, closed_with, mass_root
from cotree.constraints.least_strain import least_strained, strains
from cotree.constraints.named_coordinates import Held, held_values, named_numbers, way_to
from cotree.constraints.units import column_units
from cotree.errors import AssemblyError
from cotree.kinematics.coordinates import displace
from cotree.system.system import System

Array = NDArray[np.float64]
ROUNDS = 30  # of Newton's method after a step
FOLLOWED, NEARLY = 1e-9, 1e-3  # rad, or parts of the system's length: the last of these, at the end and on the way


def led_with_beams(system: System, values: Mapping[str, Any], fixed: Iterable[str], base: Array, t: float) -> Array:
    """Closed configuration with exactly these values, and beams in the shape nearest to that at `base`."""
    goal, q, shape = named_numbers(system, "q", values), assemble(system, base, t=t), strains(system, base).values
    way = way_to(system, goal, q) or [goal]
    for k, ahead in enumerate(way, 1):
        held, last = held_values(system, ahead, fixed, base=q), k == len(way)
        q = _followed(held, _carried(held, q, shape, t), shape, t, FOLLOWED if last else NEARLY)
    return closed_with(replace(held, q=q), t)


def _carried(held: Held, q: Array, shape: Array, t: float) -> Array:
    """Where the linear equations at q lead as the held values change; held.q where these are of group elements."""
    system, entries = held.system, held.system.dofs["iq"][held.columns]
    if (entries < 0).any():
        return held.q
    x = np.zeros(system.nv)
    x[held.columns] = held.q[entries] - q[entries]
    return held.exactly(displace(system, q, x + _correction(held, q, x, shape, t)))


def _correction(held: Held, q: Array, x: Array, shape: Array, t: float) -> Array:
    """What to add to a displacement x, held columns apart, for loops to close and the strain to be nearest to `shape`."""
    system, free = held.system, np.delete(np.arange(held.system.nv), held.columns)
    J, g, now = constraint_jacobian(system, q, t), constraint_residual(system, q, t), strains(system, q)
    d, r = shape - now.values - now.slopes @ x, -g - J @ x
    return least_strained(now.slopes, d, J, r, mass_root(system, q, free), free)


def _followed(held: Held, q: Array, shape: Array, t: float, within: float) -> Array:
    """Configuration with the held values, strained as near to `shape` as these allow: Newton's method on both."""
    system, units, rest = held.system, column_units(held.system), np.zeros(held.system.nv)
    for _ in range(ROUNDS):
        x = _correction(held, q, rest, shape, t)
        q = displace(system, q, x)
        if np.abs(x / units).max(initial=0.0) <= within:
            return q
    closed_with(held, t)  # which says what is open, if that is why
    raise AssemblyError(
        f"system {system.name!r}: beams cannot follow to the values of {', '.join(map(repr, held.names))}; give values nearer "
        f"to the mechanism as drawn, or all coordinates, as from ct.equilibrium"
    )
