"""What derivatives of the dynamics are returned as."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class InverseDerivatives(NamedTuple):
    """Derivatives (nv, nv) of the forces of `inverse_dynamics`: column c along coordinate c of q (by `displace`), of v, of the
    acceleration; the last is the mass matrix."""

    dq: Array
    dv: Array
    da: Array


class Multipliers(NamedTuple):
    """Derivatives (n_constraints, nv) of the multipliers; rows that depend on others have zeros."""

    dq: Array
    dv: Array
    dtau: Array


class ForwardDerivatives(NamedTuple):
    """Derivatives of the acceleration v_dot of `forward_dynamics`, column c along coordinate c of q (by `displace`), of v, of
    the forces tau: (nv, nv). dmultipliers: those of the multipliers, (n_constraints, nv) each, by the same names."""

    dq: Array
    dv: Array
    dtau: Array
    v_dot: Array
    dmultipliers: Multipliers
