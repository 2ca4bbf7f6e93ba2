"""Second derivatives of inverse dynamics: the closed forms of the first ones by Lie brackets, differentiated by dual numbers.

[Geo (47)] gives those by two velocities, the Christoffel symbols, in closed form; so do the first derivatives here, which are
linear in what changes: run on duals they give all the others as well, exact to rounding, O(nv depth) for each direction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.derivatives.dual_case import DualCase, dual_tables, own_case, turns
from cotree.derivatives.inverse import complain, derivative_room, inverse_derivatives
from cotree.derivatives.motion import RATES
from cotree.dynamics.user_forces import element_values
from cotree.engine.dual_records import dual_matrix_at, dual_vector
from cotree.engine.dual_type import DIRECTIONS
from cotree.engine.kernel import kernel
from cotree.engine.records import arrays, at_t, opener
from cotree.errors import FunctionError
from cotree.model.features import declare
from cotree.system.arguments import coordinates, of_system, velocities
from cotree.system.system import System

SECOND_DERIVATIVES = declare(
    "ct.theory.inverse_dynamics_second_derivatives",
    FunctionError,
    refuses=dict.fromkeys(
        ("functions of the state", "force elements"),
        "they have no second derivatives here; difference ct.inverse_dynamics_derivatives, or leave them out",
    ),
)

Array = NDArray[np.float64]
case_t = np.dtype([("system", at_t), ("arrays", arrays("q", "v", "w", "values", "room", "dq", "dv", "da"))], align=True)
_case_at = opener(case_t)


class SecondDerivatives(NamedTuple):
    """Second derivatives of the forces tau of `inverse_dynamics`, (nv, nv, nv) each: `qq[i, j, k]` is the derivative along
    coordinate k of q of the derivative of tau[i] along coordinate j (both by `displace`); `qv[i, j, k]` that by v[k] of the
    same; `vv[i, j, k]` by v[j] and v[k]; `qa[i, j, k]` along coordinate j by acceleration k, the derivative of the mass matrix.
    """

    qq: Array
    qv: Array
    vv: Array
    qa: Array


@kernel
def _evaluate(here):
    case = _case_at(here)
    a = case.arrays
    q, v, w, room = dual_vector(a.q), dual_vector(a.v), dual_vector(a.w), dual_vector(a.room)
    n, values = v.size, dual_matrix_at(a.values.at, a.values.m // 3, 3)
    dq, dv, da = dual_matrix_at(a.dq.at, n, n), dual_matrix_at(a.dv.at, n, n), dual_matrix_at(a.da.at, n, n)
    return inverse_derivatives(dual_tables(case.system), values, q, v, w, room, dq, dv, da)


def _case(system: System) -> DualCase:
    n, nn = system.nv, system.nv * system.nv
    room = n * RATES + int(derivative_room.py_func(n, len(system.links)))
    sizes = {"q": system.nq, "v": n, "w": n, "values": 3 * len(system.elements.constants), "room": room}
    return DualCase(system, case_t, {**sizes, "dq": nn, "dv": nn, "da": nn})


@of_system
def inverse_dynamics_second_derivatives(
    system: System, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None, t: float = 0.0
) -> SecondDerivatives:
    """Compute exact second derivatives of `inverse_dynamics`.

    Forces that are functions of the state, and force elements of registered kinds, have no
    second derivatives here.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.
    a : array_like of shape (nv,), optional
        Accelerations; zero by default.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    SecondDerivatives
        Arrays (nv, nv, nv) named by their variables, such as `.qq`, which is not symmetric
        for spherical and free joints.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> second = ct.theory.inverse_dynamics_second_derivatives(system, [0.3, 0.1], [1.0, 0.0])
    >>> gamma = ct.theory.christoffel(system, [0.3, 0.1])
    >>> float(abs(second.vv - gamma - gamma.transpose(0, 2, 1)).max()) < 1e-12
    True
    """
    x, u, w = coordinates(system, q), velocities(system, v), velocities(system, a, "a")
    SECOND_DERIVATIVES.admit(system.features)
    n, case = system.nv, own_case(system, "second derivatives", _case)
    case.arrays["values"][:, 0] = element_values(system, x, u, t).ravel()
    one, none = np.eye(n), np.zeros((n, n))
    steps = np.hstack([one, none]), np.hstack([none, one])
    given = {"q": (x, turns(system, x, steps[0])), "v": (u, steps[1]), "w": (w, np.zeros((n, 2 * n)))}
    dq, dv, da = (np.empty((n, n, 2 * n)) for _ in range(3))
    for first in range(0, 2 * n, DIRECTIONS):
        width = case.put(given, first)
        status = _evaluate(case.here)
        if status:
            complain(system, status, q=x, v=u, a=w)
        for name, out in (("dq", dq), ("dv", dv), ("da", da)):
            out[:, :, first : first + width] = case.arrays[name][:, 1 : 1 + width].reshape(n, n, width)
    found = SecondDerivatives(dq[..., :n], dq[..., n:], dv[..., n:], da[..., :n].transpose(0, 2, 1))
    if not all(np.isfinite(x).all() for x in found):
        complain(system, -1, q=x, v=u, a=w)
    return found
