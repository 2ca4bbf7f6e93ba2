"""Inverse dynamics with loops, free of multipliers [VTM (7)]: forces of the actuators that produce a motion.

With N a basis of the motions that the constraints leave, J N = 0, and B^T u the actuators' forces along the coordinates:
N^T (M v_dot - f - B^T u) = 0. N is orthonormal in the metric of M, so that what is missing is an acceleration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import listed
from cotree.constraints.api import constraint_bias, constraint_jacobian, cut_gaps
from cotree.constraints.assembly_errors import concerned
from cotree.constraints.rank import ACTUATED, count, rank_tolerance
from cotree.constraints.units import length_of
from cotree.dynamics.api import mass_matrix, tree_forces
from cotree.dynamics.forward import no_inertia
from cotree.engine.kernel import kernel
from cotree.errors import ActuationError, ForceError, MotionError
from cotree.formulations.actuation.actuators import actuation, actuator_names, per_actuator
from cotree.formulations.linalg import apply_q, cholesky, pivoted_qr, solve_lower, solve_lower_transposed
from cotree.formulations.solve import projection
from cotree.judge import CANCELLED, CONSISTENT
from cotree.model.checks import flag, number
from cotree.system.arguments import coordinates, not_finite, of_system, require_finite, velocities
from cotree.system.system import System

Array = NDArray[np.float64]
SLOW = 1e-5  # rad/s^2 or m/s^2: accelerations are not compared with smaller ones than this


@dataclass(frozen=True, eq=False)
class ActuatorForces:
    """Forces [N m or N] by actuator, and the same along the coordinates, tau (nv,), for `forward_dynamics`.

    v_dot (nv,): the motion asked for. residual (nv,): what of it is not produced, zero but for least squares. prestress
    (states, actuators): a basis of the forces that move nothing, where there are more actuators than they need to be.
    The force along a cut joint is in tau as what it does to the coordinates of the tree: motions follow, but reactions
    computed with this tau count it within the joints of the tree.
    """

    forces: dict[str, float]
    tau: Array
    v_dot: Array
    residual: Array
    prestress: Array

    def __repr__(self) -> str:
        words = listed(f"{name} {x:.6g}" for name, x in self.forces.items())
        return f"<ActuatorForces [N m, or N of sliding joints]: {words}>"


@of_system
def actuator_forces(
    system: System, q: ArrayLike, v: ArrayLike | None = None, v_dot: ArrayLike | None = None,
    actuators: Iterable[str] | ArrayLike = (), t: float = 0.0, *,
    weights: ArrayLike | None = None, bias: ArrayLike | None = None, least_squares: bool = False,
) -> ActuatorForces:  # fmt: skip
    """Compute the actuator forces that give a mechanism with loops an acceleration.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    v_dot : array_like or dict, optional
        All accelerations (nv,), which must satisfy the constraints, or some by coordinate
        name, from which the others follow; zero by default.
    actuators : iterable of str
        Coordinates, or joints for all their coordinates; cut joints too.
    t : float, optional
        Time [s], for drives and functions of time.
    weights : array_like or dict, optional
        Of more actuators than needed, the forces with the least sum of weights (force -
        bias)^2.
    bias : array_like or dict, optional
        Preload, in order or by name.
    least_squares : bool, optional
        Produce a motion that the actuators cannot produce as nearly as they can, in the
        metric of the mass matrix.

    Returns
    -------
    ActuatorForces
        `.forces` by name [N m or N].

    Raises
    ------
    ActuationError
        If the actuators cannot produce the motion.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> round(ct.actuator_forces(system, system.q0, actuators=["A"]).forces["A"], 6)
    8.213023
    """
    q, v = coordinates(system, q), velocities(system, v)
    require_finite(system, q=q, v=v)
    names, least_squares = actuator_names(system, actuators), flag(least_squares, "least_squares")
    w, u0 = per_actuator(names, weights, "weights", 1.0), per_actuator(names, bias, "bias", 0.0)
    if np.any(w <= 0.0):
        raise ForceError(f"weights: {names[int(np.argmin(w))]!r} has {w.min():g}; weights must be positive")
    rows = _Rows.at(system, q, v, t)
    a = rows.completed(v_dot) if isinstance(v_dot, Mapping) else rows.checked(velocities(system, v_dot, "v_dot"))
    B = actuation(system, q, names)
    needed = tree_forces(system, q, v, a, t)
    G, rhs, root = rows.N @ B.T, rows.N @ needed, np.sqrt(w)
    U, s, Vt = np.linalg.svd(G / root)
    rank = count(s, ACTUATED)
    u = u0 + (Vt[:rank].T @ ((U[:, :rank].T @ (rhs - G @ u0)) / s[:rank])) / root
    missing = rhs - G @ u
    cancelled = np.linalg.norm(np.abs(rows.N) @ np.abs(rows.force))  # of which rounding is left where nothing is needed
    allowed = CONSISTENT * max(np.linalg.norm(rhs), np.linalg.norm(G @ u))
    if not least_squares and np.linalg.norm(missing) > max(allowed, CANCELLED * cancelled):
        raise ActuationError(_cannot(system, names, missing @ rows.N))
    residual = missing @ rows.N
    if not (np.isfinite(u).all() and np.isfinite(residual).all()):
        not_finite(system, "actuator_forces", q=q, v=v, v_dot=a)
    forces = {name: float(x) for name, x in zip(names, u, strict=True)}
    return ActuatorForces(forces, B.T @ u, a, residual, Vt[rank:] / root)


def _cannot(system: System, names: tuple[str, ...], motion: Array) -> str:
    """Which motion is out of reach."""
    largest = [j for j in np.argsort(-np.abs(motion))[:3] if abs(motion[j]) > 1e-3 * np.abs(motion).max()]
    part = ", ".join(f"{motion[j]:.3g} of {system.coordinate_names[j]!r}" for j in largest)
    return (
        f"actuators {', '.join(map(repr, names)) or '(none)'} cannot produce this motion of system {system.name!r}: the "
        f"accelerations {part} cannot be reached; add an actuator that moves them, or use least_squares=True for the "
        f"nearest motion"
    )


@kernel
def _free_motions(M, J, tolerance):
    """(rank of J or minus 1 + the coordinate without inertia, N): rows of N with N J^T = 0, N M N^T = 1; overwrites."""
    m, n = J.shape
    status = cholesky(M)
    if status:
        return -status, np.zeros((0, n))
    rank, beta, pivot = 0, np.empty(max(min(m, n), 1)), np.empty(m, np.int64)
    for r in range(m):
        solve_lower(M, J[r])
    if m > 0:
        rank = pivoted_qr(J, beta, pivot, tolerance)
    N = np.zeros((n - rank, n))
    for k in range(n - rank):
        N[k, rank + k] = 1.0
        apply_q(J, beta, rank, N[k])
        solve_lower_transposed(M, N[k])
    return rank, N


@dataclass(frozen=True, eq=False)
class _Rows:
    """J v_dot = eta at a state, and the motions N (dof, nv) that it leaves."""

    system: System
    M: Array
    J: Array
    eta: Array
    N: Array
    force: Array  # of all that is modelled, and of the motion, (nv,)
    tolerance: float

    @staticmethod
    def at(system: System, q: Array, v: Array, t: float) -> _Rows:
        M, J, eta = mass_matrix(system, q), constraint_jacobian(system, q, t), constraint_bias(system, q, v, t)
        tolerance = rank_tolerance(cut_gaps(system, q)[0], length_of(system))
        rank, N = _free_motions(M.copy(), J.copy(), tolerance)
        if rank < 0:
            no_inertia(system, -rank - 1, q)
        return _Rows(system, M, J, eta, N, tree_forces(system, q, v, None, t), tolerance)

    def checked(self, a: Array) -> Array:
        """Accelerations (nv,) that fulfil the constraints."""
        require_finite(self.system, v_dot=a)
        left = self.J @ a - self.eta
        if np.abs(left).max(initial=0.0) > self.allowed(a):
            raise MotionError(
                f"v_dot does not satisfy the constraints of system {self.system.name!r}: {concerned(self.system, left)}, "
                f"residual {np.abs(left).max():.3g}; give a v_dot with J v_dot = eta (ct.constraint_jacobian, "
                "ct.constraint_bias), or by name for independent coordinates only"
            )
        return a

    def allowed(self, a: Array) -> float:
        """What may be left: of the accelerations that J v_dot adds up, also where rows hold a coordinate that does not move at
        all, and of the rounding of forces that cancel."""
        J, free = float(np.abs(self.J).sum(axis=1).max(initial=0.0)), np.linalg.solve(self.M, self.force)
        moved = max(J * max(float(np.abs(a).max(initial=0.0)), SLOW), float(np.abs(self.eta).max(initial=0.0)))
        return CONSISTENT * moved + CANCELLED * J * float(np.abs(free).max(initial=0.0))

    def completed(self, given: Mapping[str, Any]) -> Array:
        """All accelerations from some, by coordinate name."""
        system = self.system
        places = [system.velocity_index(name) for name in given]
        values = np.array([number(x, f"v_dot of {name!r}", "actuator_forces") for name, x in given.items()])
        a, lam = np.empty(system.nv), np.empty(len(self.J))
        projection(self.M.copy(), self.J.copy(), np.zeros(system.nv), self.eta, self.tolerance, a, lam)
        self.checked(a)  # at a singular configuration no acceleration may close the loops
        E = self.N[:, places].T
        y, _, rank, _ = np.linalg.lstsq(E, values - a[places], rcond=ACTUATED)
        free = len(self.N) - int(rank)
        if free > 0:
            raise MotionError(
                f"v_dot by name leaves {free} motion{'s' * (free > 1)} of system {system.name!r} undetermined; name "
                f"{len(self.N)} independent coordinates instead of {', '.join(map(repr, given)) or 'none'}"
            )
        left = E @ y - (values - a[places])
        if np.abs(left).max(initial=0.0) > CONSISTENT * max(np.abs(values).max(), np.abs(a).max()):
            name = list(given)[int(np.argmax(np.abs(left)))]
            raise MotionError(
                f"v_dot of {name!r} contradicts the others, which determine it through the constraints of system "
                f"{system.name!r}; residual {np.abs(left).max():.3g}; name only {len(self.N)} independent coordinates"
            )
        return a + y @ self.N
