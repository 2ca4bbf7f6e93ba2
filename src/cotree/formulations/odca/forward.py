"""Forward dynamics by divide and conquer, from Python."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.motions import ACCELERATION, motion_values
from cotree.dynamics.functions import element_values
from cotree.errors import SingularError
from cotree.formulations.odca.build import division
from cotree.formulations.odca.solve import accelerate
from cotree.system.arguments import require_finite
from cotree.system.system import System

Array = NDArray[np.float64]


def by_division(system: System, q: Array, v: Array, tau: Array, t: float) -> tuple[Array, Array, int]:
    """(v_dot, multipliers, rank of the constraints)."""
    d = division(system)
    values, motions = element_values(system, q, v, t), motion_values(system, t, ACCELERATION)
    v_dot, lam, ratios = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    rank = int(accelerate(system.handle, d.handle, values, motions, tau, q, v, v_dot, lam, ratios))
    if rank < 0:
        require_finite(system, q=q, v=v, tau=tau)
        degenerate(system, -rank - 1)
    return v_dot, lam, rank


def degenerate(system: System, dof: int) -> NoReturn:
    """Complain of a joint, or of the body behind it."""
    raise SingularError(
        f"coordinate {system.coordinate_names[dof]!r} of system {system.name!r}: the body behind it has too little inertia "
        "in the directions in which it can move, or its joint's motions depend on each other here; formulation 'odca' "
        "divides by both, use formulation 'auto'"
    )
