"""Forward dynamics by divide and conquer, from Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.motions import ACCELERATION, motion_values
from cotree.dynamics.forward import no_inertia
from cotree.dynamics.functions import element_values
from cotree.errors import InertiaError
from cotree.formulations.odca.build import Division, division
from cotree.formulations.odca.solve import accelerate
from cotree.system.arguments import require_finite
from cotree.system.system import System

Array = NDArray[np.float64]
TWICE = -(1 << 30)


def by_division(system: System, q: Array, v: Array, tau: Array, t: float) -> tuple[Array, Array, int]:
    """(v_dot, multipliers, rank of the constraints)."""
    d = division(system)
    values = element_values(system, q, v, t)
    motions = motion_values(system, t, ACCELERATION)
    v_dot, lam, ratios = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    status = accelerate(
        system.handle, d.handle, d.part_of, d.part_of_dof, values, motions, tau, q, v, v_dot, lam, ratios
    )
    if status < 0 or not np.isfinite(v_dot).all():
        require_finite(system, q=q, v=v, tau=tau)
    if status < 0:
        complain(system, d, int(status))
    return v_dot, lam, int(status) - d.joint_rows


def complain(system: System, d: Division, status: int) -> None:
    """Raise for what a negative status says."""
    if status < TWICE:
        no_inertia(system, TWICE - status - 1)
    link = int(d.parts[-status - 1]["link"])
    name = system.link_joints[link]
    raise InertiaError(
        f"the body behind joint {name!r} of system {system.name!r} has too little inertia for formulation 'odca', which "
        "divides by the inertia of each body in the directions in which it can move; give it some, or use formulation 'auto'"
    )
