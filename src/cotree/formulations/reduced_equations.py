"""The Voronets equations as numbers [Geo (54) to (59)]: the equations of motion in independent velocities.

v = F v2 on the admissible velocities, v_dot = F v2_dot + F_dot v2, and with the mass matrix M, the Coriolis matrix C and the
generalized forces Q of the tree: mass v2_dot + coriolis v2 = force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.api import constraint_bias, constraint_rate
from cotree.constraints.jacobian_rate import constraint_jacobian_rate
from cotree.dynamics.api import coriolis_matrix, mass_matrix, tree_forces
from cotree.dynamics.christoffel import christoffel
from cotree.formulations.chart import Chart, chart_at
from cotree.system.arguments import coordinates, of_system, velocities
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reduced:
    """mass v2_dot + coriolis v2 = force, and v = F v2 + shift, v_dot = F v2_dot + F_dot v2 + shift_rate.

    independent: names of the coordinates v2. mass (k, k) [Geo (56), (58)], coriolis (k, k) and F_dot (nv, k) [Geo (59)],
    force (k,): F^T Q, with the part of drivers taken off. velocity (k,) is v2, v (nv,) the velocity of all coordinates.
    shift and shift_rate vanish unless constraints depend on time.
    """

    independent: tuple[str, ...]
    F: Array
    F_dot: Array
    mass: Array
    coriolis: Array
    force: Array
    velocity: Array
    v: Array
    shift: Array
    shift_rate: Array
    _at: tuple[System, Array, float, Chart] = field(repr=False)

    @property
    def acceleration(self) -> Array:
        """v2_dot (k,)."""
        return np.asarray(np.linalg.solve(self.mass, self.force - self.coriolis @ self.velocity), dtype=np.float64)

    @property
    def v_dot(self) -> Array:
        """Accelerations of all coordinates (nv,)."""
        return self.F @ self.acceleration + self.F_dot @ self.velocity + self.shift_rate

    @cached_property
    def christoffel(self) -> Array:
        """(k, k, k): the generalized Christoffel symbols Lambda [Geo (57)]; coriolis = Lambda v2 where constraints do not
        depend on time."""
        system, q, t, chart = self._at
        gamma = christoffel(system, q)
        if len(chart.rows):
            units = np.eye(system.nv)
            dJ = np.stack([constraint_jacobian_rate(system, q, e, t)[chart.rows] for e in units], axis=2)  # [row, b, c]
            share = np.linalg.solve(chart.J1.T, mass_matrix(system, q)[chart.dependent]).T
            gamma = gamma - np.einsum("ad,dbc->abc", share, dJ)
        return np.einsum("abc,ax,by,cz->xyz", gamma, self.F, self.F, self.F)


@of_system
def reduced(
    system: System, q: ArrayLike, v: ArrayLike | None = None, independent: Sequence[str] | None = None, t: float = 0.0
) -> Reduced:
    """Compute the equations of motion in independent velocities.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    independent : sequence of str, optional
        As many velocity coordinates as there are degrees of freedom; by default those that
        point least along the constraints. Only their entries of v count.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    Reduced
        `.F`, `.F_dot`, `.mass`, `.coriolis`, `.force`, `.christoffel`, `.independent`. [Geo
        4.2]

    Raises
    ------
    SingularError
        If the chosen velocities are not independent there.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> equations = ct.theory.reduced(system, system.q0, independent=["A"])
    >>> equations.independent, equations.mass.shape
    (('A',), (1, 1))
    """
    q, v = coordinates(system, q), velocities(system, v)
    chart = chart_at(system, q, t, independent)
    F, v2, shift = chart.F, v[chart.independent], chart.lift(constraint_rate(system, q, t))
    v = F @ v2 + shift
    M, C = mass_matrix(system, q), coriolis_matrix(system, q, v)
    F_dot = chart.lift(-constraint_jacobian_rate(system, q, v, t) @ F)
    shift_rate = chart.lift(constraint_bias(system, q, v, t)) - F_dot @ v2
    Q = C @ v - tree_forces(system, q, v, None, t)
    return Reduced(
        tuple(system.coordinate_names[k] for k in chart.independent), F, F_dot, F.T @ M @ F, F.T @ (C @ F + M @ F_dot),
        F.T @ (Q - C @ shift - M @ shift_rate), v2, v, shift, shift_rate, (system, q.copy(), t, chart),
    )  # fmt: skip
