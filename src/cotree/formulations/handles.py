"""The handle equations of a mechanism: accelerations of some of its bodies as functions of wrenches that act on them.

They are [DCA (1), (2)] for an assembly with any number of handles, and [DCA (28) to (30)] after all joints are closed: with
handles 1 and 2, Z = [[zeta11, zeta12], [zeta21, zeta22]] and z = [zeta13; zeta23].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ArgumentError, UnknownNameError
from cotree.formulations.choice import divides_large
from cotree.formulations.constraint_space import spaces
from cotree.formulations.forward import forward_dynamics
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.kinematics.poses import accelerations
from cotree.model.checks import several, shown
from cotree.model.mechanism import Body, nearest
from cotree.system.arguments import coordinates, of_system, velocities
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HandleEquations:
    """A = Z F + z: spatial accelerations A (6 h,) of the handle bodies for wrenches F (6 h,) on them, stacked in the order of
    `bodies`; (moment, force) and (angular, linear) about the world's origin, in world axes."""

    bodies: tuple[str, ...]
    Z: Array
    z: Array

    def block(self, a: Body | str, b: Body | str) -> Array:
        """(6, 6): acceleration of body `a` for a wrench on body `b`, the paper's zeta_ab."""
        return self.Z[self.rows(a), self.rows(b)]

    def rows(self, body: Body | str) -> slice:
        """Rows of a handle in Z and z."""
        name = body.name if isinstance(body, Body) else body
        if not isinstance(name, str) or name not in self.bodies:
            raise UnknownNameError(f"no body {shown(name)} among the handles{nearest(name, self.bodies)}")
        k = self.bodies.index(name)
        return slice(6 * k, 6 * k + 6)


@of_system
def handle_equations(
    system: System,
    q: ArrayLike,
    v: ArrayLike | None,
    bodies: Sequence[Any],
    tau: ArrayLike | None = None,
    t: float = 0.0,
) -> HandleEquations:
    """Compute the equations A = Z F + z of chosen bodies, with all joints and constraints in force.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    bodies : sequence of Body or str
        The handles.
    tau : array_like of shape (nv,), optional
        Forces along the coordinates.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    HandleEquations
        `.Z`, symmetric and positive semidefinite: the inverse inertia felt at these bodies;
        `.z`: accelerations without wrenches on them.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.theory.handle_equations(system, system.q0, None, ["crank"]).Z.shape
    (6, 6)
    """
    q, v, tau = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    names = _names(system, bodies)
    J = np.concatenate([spatial_jacobian(system, q, name) for name in names])
    rows = [system.row_of(name) for name in names]
    v_dot = forward_dynamics(system, q, v, tau, t=t).v_dot
    z = accelerations(system, q, v, v_dot, frame="spatial")[rows].ravel()
    Z = _by_division(system, q, v, tau, t, J) if divides_large(system) else _by_matrices(system, q, t, J)
    return HandleEquations(names, 0.5 * (Z + Z.T), z)


def _names(system: System, bodies: Sequence[Any]) -> tuple[str, ...]:
    names = tuple(("ground", *system.body_names)[system.row_of(body)] for body in several(bodies, "bodies"))
    if not names or len(set(names)) < len(names) or "ground" in names:
        raise ArgumentError(
            f"handle_equations: bodies are {list(names)}; name one or more bodies other than ground, each once"
        )
    return names


def _by_matrices(system: System, q: Array, t: float, J: Array) -> Array:
    """J M^-1 (I - projector on the constraint space) J^T."""
    L, basis = spaces(system, q, t)
    X = np.linalg.solve(L, J.T)
    free = X - basis.T @ (basis @ X)
    return np.asarray(free.T @ free)


def _by_division(system: System, q: Array, v: Array, tau: Array, t: float, J: Array) -> Array:
    """One wrench after another by divide and conquer; accelerations are linear in it, so that differences are exact."""
    columns = []
    for wrench in J:
        up, down = (forward_dynamics(system, q, v, tau + s * wrench, "odca", t).v_dot for s in (0.5, -0.5))
        columns.append(J @ (up - down))
    return np.column_stack(columns)
