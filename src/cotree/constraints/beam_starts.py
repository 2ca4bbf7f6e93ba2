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
FOLLOWED = 1e-9  # rad, or parts of the system's length: the last of these


def led_with_beams(system: System, values: Mapping[str, Any], fixed: Iterable[str], base: Array, t: float) -> Array:
    """Closed configuration with exactly these values, and beams in the shape nearest to that at `base`."""
    goal, q, shape = named_numbers(system, "q", values), assemble(system, base, t=t), strains(system, base).values
    for ahead in way_to(system, goal, q) or [goal]:
        q = _followed(held_values(system, ahead, fixed, base=q), shape, t)
    return q


def _followed(held: Held, shape: Array, t: float) -> Array:
    """Closed configuration with the held values, strained as near to `shape` as these allow: Newton's method on both."""
    system, q, units = held.system, held.q, column_units(held.system)
    free = np.delete(np.arange(system.nv), held.columns)
    for _ in range(ROUNDS):
        J, g, now = constraint_jacobian(system, q, t), constraint_residual(system, q, t), strains(system, q)
        x = least_strained(now.slopes, shape - now.values, J, -g, mass_root(system, q, free), free)
        q = displace(system, q, x)
        if np.abs(x / units).max(initial=0.0) <= FOLLOWED:
            return closed_with(replace(held, q=q), t)
    closed_with(held, t)  # which says what is open, if that is why
    raise AssemblyError(
        f"system {system.name!r}: beams cannot follow to the values of {', '.join(map(repr, held.names))}; give values nearer "
        f"to the mechanism as drawn, or all coordinates, as from ct.equilibrium"
    )
