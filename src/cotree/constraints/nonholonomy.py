"""Object of non-holonomy [Geo (60)]: whether the rows J v = b are integrable, Frobenius' condition.

Rows are 1-forms on configurations and time, w = J dq - b dt. For the fields E_b of the velocity coordinates
dw(E_b, E_c) = E_b(J_c) - E_c(J_b) - J([E_b, E_c]); on coordinate-free joints the E_b are left-invariant and their brackets
those of the joint's algebra, elsewhere they commute, which is [Geo (60)].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.api import constraint_jacobian, constraint_rate
from cotree.constraints.finite_differences import derivative
from cotree.constraints.jacobian_rate import constraint_jacobian_rate
from cotree.constraints.rank import null_space
from cotree.errors import ShapeError
from cotree.judge import REPORTED
from cotree.kinematics.configuration import is_direct
from cotree.kinematics.coordinates import displace
from cotree.lie import bracket
from cotree.model.checks import array, floats, number, shown
from cotree.system.arguments import coordinates, of_system
from cotree.system.system import System
from cotree.system.tables import GROUP

Array = NDArray[np.float64]


@of_system
def object_of_nonholonomy(system: System, q: ArrayLike, t: float = 0.0, basis: ArrayLike | None = None) -> Array:
    """Compute the object of nonholonomy of the constraint equations [Geo (60)].

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    t : float, optional
        Time [s], for drives and functions of time.
    basis : array_like of shape (nv, n - r), optional
        Admissible velocities; an orthonormal set by default.

    Returns
    -------
    ndarray of shape (n_constraints, n - r, n - r)
        Skew in the last two axes; zero for equations that are integrable.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> float(abs(ct.theory.object_of_nonholonomy(system, system.q0)).max()) < 1e-12
    True
    """
    q = coordinates(system, q)
    F = null_space(constraint_jacobian(system, q, t)) if basis is None else _checked(system, basis)
    return np.einsum("abc,bx,cy->axy", _curl(system, q, t, with_time=False)[:, :-1, :-1], F, F)


@of_system
def is_holonomic(system: System, q: ArrayLike, t: float = 0.0, tolerance: float = 1e-6) -> bool:
    """Check whether the velocity constraints together with all others are integrable at a configuration.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    t : float, optional
        Time [s], for drives and functions of time.
    tolerance : float, optional
        Relative size below which a number counts as zero.

    Returns
    -------
    bool
        Whether they are, time included.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.theory.is_holonomic(system, system.q0)
    True
    """
    q, tolerance = coordinates(system, q), number(tolerance, "tolerance", "is_holonomic")
    J, b = constraint_jacobian(system, q, t), constraint_rate(system, q, t)
    if np.all(system.holonomic):
        return True
    particular = np.linalg.lstsq(J, b, rcond=REPORTED)[0]
    F = null_space(J)
    full = np.block([[F, particular[:, None]], [np.zeros((1, F.shape[1])), np.ones((1, 1))]])
    A = np.einsum("abc,bx,cy->axy", _curl(system, q, t, with_time=True)[~system.holonomic], full, full)
    scale = np.linalg.norm(J[~system.holonomic], axis=1)
    return bool(np.all(np.abs(A).max(axis=(1, 2), initial=0.0) <= tolerance * np.maximum(scale, 1e-12)))


def _checked(system: System, basis: Any) -> Array:
    F = floats(basis)
    if F is None or F.ndim != 2 or len(F) != system.nv:
        got = shown(basis) if F is None else f"an array of shape {F.shape}"
        raise ShapeError(f"basis must be an array with {system.nv} rows and one column per velocity, got {got}")
    return array(F, F.shape, "basis", "object_of_nonholonomy")


def _curl(system: System, q: Array, t: float, with_time: bool) -> Array:
    """(rows, nv + 1, nv + 1): dw of the rows on the fields E_b and, at last, d/dt."""
    J = constraint_jacobian(system, q, t)
    n = system.nv
    D = np.zeros((len(J), n + 1, n + 1))  # [a, b, c]: derivative along E_b of component c
    for j in range(n + with_time):
        D[:, j] = _along(system, q, t, np.eye(n + 1)[j])
    curl = D - D.transpose(0, 2, 1)
    curl[:, :n, :n] -= np.einsum("ad,dbc->abc", J, structure_constants(system))
    return curl


def _along(system: System, q: Array, t: float, e: Array) -> Array:
    """Derivative of [J, -b] along the field e of velocities and time; user rows, and time, by differences."""
    if e[-1] == 0.0 and not system.extra_rows.user:
        return np.column_stack([constraint_jacobian_rate(system, q, e[:-1], t), np.zeros(system.n_constraints)])

    def forms(s: float) -> Array:
        x, time = displace(system, q, s * e[:-1]), t + s * e[-1]
        return np.column_stack([constraint_jacobian(system, x, time), -constraint_rate(system, x, time)])

    return derivative(forms, 0.0, 1)


def structure_constants(system: System) -> Array:
    """(nv, nv, nv): [E_b, E_c] = c[:, b, c] E; not zero within coordinate-free joints only."""
    c = np.zeros((system.nv,) * 3)
    for link in system.links[system.links["kind"] == GROUP]:
        turns = [2] if link["rotations"] == 1 else list(range(int(link["rotations"])))
        free = turns + [3 + k for k in range(3) if int(link["translations"]) >> k & 1]
        own = slice(link["iv"], link["iv"] + link["nv"])
        if is_direct(link, system.dofs):  # SO(3) x R3: translations commute with all
            free = [i if i < 3 else -1 for i in free]
        Z = np.array([np.eye(6)[i] if i >= 0 else np.zeros(6) for i in free])
        c[own, own, own] = np.einsum("bcx,dx->dbc", bracket(Z[:, None], Z[None]), Z)
    return c
