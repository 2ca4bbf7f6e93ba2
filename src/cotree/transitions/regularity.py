"""Regular and singular topology changes [VTM, Definition 1]: a change is regular if the configuration is a regular point of
the configuration spaces before and after it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.mobility import local_dof, rank
from cotree.system.system import System

Array = NDArray[np.float64]
MANY = 300  # coordinates above which a system is not looked at: its matrices are dense here


def differential_dof(system: System, q: Array, t: float = 0.0) -> int:
    """Dimension of the admissible velocities at q."""
    return system.nv - rank(system, q, t)


def is_singular(system: System, q: Array, t: float = 0.0) -> bool:
    """Whether the dof at q differ from those of the configurations nearby."""
    if not system.n_constraints or system.nv > MANY:
        return False
    differential = differential_dof(system, q, t)
    if differential == system.nv - system.n_constraints:
        return False  # independent rows: the configuration space is smooth here
    return differential != local_dof(system, q, differential, t)
