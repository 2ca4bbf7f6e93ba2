"""Regular and singular topology changes [VTM, Definition 1]: a change is regular if the configuration is a regular point of
the configuration spaces before and after it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.constraints.measured_rank import rank
from cotree.constraints.neighbours import moves_freely
from cotree.constraints.rank import sizes_or_largest
from cotree.constraints.units import column_units
from cotree.system.sizes import JUDGED
from cotree.system.system import System

Array = NDArray[np.float64]
BENT = (
    1e-6  # of rows of unit size: what velocities of unit size leave of J v_dot = eta where no motion begins with them
)


def differential_dof(system: System, q: Array, t: float = 0.0) -> int:
    """Dimension of the admissible velocities at q."""
    return system.nv - rank(system, q, t)


def either_singular(systems: Iterable[System | None], q: Array, t: float) -> bool | None:
    """Whether q is singular for one of the systems; None where that is not known."""
    unknown = False
    for system in systems:
        found = False if system is None else is_singular(system, q, t)
        if found:
            return True
        unknown = unknown or found is None
    return None if unknown else False


def is_singular(system: System, q: Array, t: float = 0.0) -> bool | None:
    """Whether the dof at q differ from those of the configurations nearby; None for a system too large to look at.

    Where all admissible velocities are tangent to one motion of that dimension, each leaves J v_dot = eta solvable. A velocity
    drawn at random that does not shows a singular configuration; only where it does nearby configurations are looked at.
    """
    if not system.n_constraints:
        return False
    if system.nv > JUDGED:
        return None
    differential = differential_dof(system, q, t)
    if differential == system.nv - system.n_constraints:
        return False  # independent rows: the configuration space is smooth here
    if differential and _bends(system, q, differential, t):
        return True
    return not moves_freely(system, q, differential, t)


def _bends(system: System, q: Array, differential: int, t: float) -> bool:
    """Whether admissible velocities, drawn at random, ask for accelerations that the rows cannot give."""
    J, units = constraint_jacobian(system, q, t), column_units(system)
    size = np.linalg.norm(J * units, axis=1)
    rows = sizes_or_largest(size)
    U, _, Vt = np.linalg.svd(J * units / rows[:, None])
    lost, null = U[:, system.nv - differential :], Vt[-differential:]
    y = np.random.default_rng(1).standard_normal(differential) @ null
    x, still = units * y / np.linalg.norm(y), constraint_bias(system, q, np.zeros(system.nv), t)
    bias = 0.5 * (constraint_bias(system, q, x, t) + constraint_bias(system, q, -x, t)) - still  # of the motion alone
    return bool(np.abs(lost.T @ (bias / rows)).max(initial=0.0) > BENT)
