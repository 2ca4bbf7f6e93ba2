"""Jacobians of the bodies and their derivatives, Geo (15) to (33), by closed forms in Lie brackets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.kinematics.derivatives import put_rates, screw_partials, screw_second_partials
from cotree.kinematics.poses import body_pose, is_body, to_world
from cotree.kinematics.sweep import move_all, place_all
from cotree.lie import Ad, bracket, inverse, pose, se3
from cotree.lie.storage import put_column, put_pose_of, twist, vec
from cotree.lie.vec3 import add
from cotree.model.mechanism import Body
from cotree.system.arguments import coordinates, not_finite, of_systems, velocities
from cotree.system.families import Doors
from cotree.system.members import over_members
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@kernel
def _jacobian(here, q, row, in_body, out):
    """Columns of the joints on the way from the body to ground; the others stay zero."""
    tables = open_tables(here)
    shift = place_all(tables, q)
    origin = add(shift, vec(tables.world[0].origin))
    C = body_pose(tables.bodies[row], tables.work, (0.0, 0.0, 0.0))
    k = tables.bodies[row].link
    while k > 0:
        for j in range(tables.links[k].iv, tables.links[k].iv + tables.links[k].nv):
            S = twist(tables.dof_work[j].S)
            put_column(out, j, se3.Ad_inv(C, S) if in_body else to_world(S, origin))
        k = tables.links[k].parent
    return all_finite(q) and all_finite(out.ravel())


@kernel
def _jacobian_rate(here, q, v, row, in_body, out):
    tables = open_tables(here)
    shift = move_all(tables, q, v)
    origin = add(shift, vec(tables.world[0].origin))
    rates = np.empty((tables.dofs.size, 6))
    put_rates(tables.links, tables.dofs, tables.work, tables.dof_work, q, v, rates)
    C = body_pose(tables.bodies[row], tables.work, (0.0, 0.0, 0.0))
    k = tables.bodies[row].link
    V = twist(tables.work[k].V)
    while k > 0:
        for j in range(tables.links[k].iv, tables.links[k].iv + tables.links[k].nv):
            rate = twist(rates[j])
            if in_body:
                rate = se3.Ad_inv(C, se3.minus(rate, se3.bracket(V, twist(tables.dof_work[j].S))))
            else:
                rate = to_world(rate, origin)
            put_column(out, j, rate)
        k = tables.links[k].parent
    return all_finite(q) and all_finite(v) and all_finite(out.ravel())


@of_systems(Doors("q"))
@over_members("q")
def spatial_jacobian(system: System, q: ArrayLike, body: Body | str | int) -> Array:
    """Compute the Jacobian of a body's twist about the world's origin.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    body : Body, str or int
        The body, its name or its row.

    Returns
    -------
    ndarray of shape (6, nv)
        J_s with the spatial twist V_s = J_s v, angular part first.

    See Also
    --------
    body_jacobian : The same in the body's frame.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.spatial_jacobian(system, system.q0, system.body_names[-1]).shape
    (6, 2)
    """
    return _face(system, q, body, False)


@of_systems(Doors("q"))
@over_members("q")
def body_jacobian(system: System, q: ArrayLike, body: Body | str | int) -> Array:
    """Compute the Jacobian of a body's twist in its own frame.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    body : Body, str or int
        The body, its name or its row.

    Returns
    -------
    ndarray of shape (6, nv)
        J_b with the body twist V_b = J_b v, angular part first. [Geo (16), (21)]

    See Also
    --------
    spatial_jacobian : The same about the world's origin.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.body_jacobian(system, system.q0, system.body_names[-1]).shape
    (6, 2)
    """
    return _face(system, q, body, True)


def _face(system: System, q: Any, body: Any, in_body: bool) -> Array:
    q, row = coordinates(system, q), system.row_of(body)
    out = np.zeros((6, system.nv))
    if not _jacobian(system.here, q, row, in_body, out):
        not_finite(system, "body_jacobian" if in_body else "spatial_jacobian", q=q)
    return out


@of_systems(Doors("q", "v"))
@over_members("q", "v")
def jacobian_derivative(
    system: System, q: ArrayLike, v: ArrayLike, body: Body | str | int, frame: str = "body"
) -> Array:
    """Compute the time derivative of a body's Jacobian.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,)
        Velocities.
    body : Body, str or int
        The body, its name or its row.
    frame : str, optional
        "body" or "spatial".

    Returns
    -------
    ndarray of shape (6, nv)
        The derivative along v.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.jacobian_derivative(system, system.q0, [1.0, 0.5], system.body_names[-1]).shape
    (6, 2)
    """
    q, v, row, in_body = coordinates(system, q), velocities(system, v), system.row_of(body), is_body(frame)
    out = np.zeros((6, system.nv))
    if not _jacobian_rate(system.here, q, v, row, in_body, out):
        not_finite(system, "jacobian_derivative", q=q, v=v)
    return out


def _reach(system: System, row: int) -> NDArray[np.bool_]:
    """Dofs that move the body of this row."""
    link, reach = system.bodies[row]["link"], np.zeros(system.nv, bool)
    while link > 0:
        entry = system.links[link]
        reach[entry["iv"] : entry["iv"] + entry["nv"]] = True
        link = entry["parent"]
    return reach


def _carrier(system: System, q: Array, row: int, in_body: bool) -> Array:
    """6x6 matrix from the sweep's origin to the body's frame or to the world's origin."""
    out = np.empty((len(system.bodies), 4, 4))
    shift = _frames(system.here, q, out)
    if in_body:
        return Ad(inverse(out[row]))
    return Ad(pose(p=np.array(shift) + system.world[0]["origin"]))


@kernel
def _frames(here, q, out):
    tables = open_tables(here)
    shift = place_all(tables, q)
    for k in range(tables.bodies.size):
        put_pose_of(out[k], body_pose(tables.bodies[k], tables.work, (0.0, 0.0, 0.0)))
    return shift


@of_systems(Doors("q"))
@over_members("q")
def jacobian_partials(system: System, q: ArrayLike, body: Body | str | int, frame: str = "body") -> Array:
    """Compute the derivatives of a body's Jacobian along the velocity coordinates.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    body : Body, str or int
        The body, its name or its row.
    frame : str, optional
        "body" or "spatial".

    Returns
    -------
    ndarray of shape (6, nv, nv)
        [:, j, b] is the derivative of column j along coordinate b. [Geo (26), (27)]

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.theory.jacobian_partials(system, system.q0, system.body_names[-1]).shape
    (6, 2, 2)
    """
    q, row, in_body = coordinates(system, q), system.row_of(body), is_body(frame)
    S, dS, _ = screw_partials(system, q)
    reach = _reach(system, row)
    if in_body:  # the body's frame moves with every dof that reaches it
        dS = dS - bracket(S[None, :, :], S[:, None, :]) * reach[None, :, None]
    dS = dS * reach[:, None, None]
    return _finite(system, q, np.einsum("xy,jby->xjb", _carrier(system, q, row, in_body), dS))


@of_systems(Doors("q"))
@over_members("q")
def jacobian_second_partials(system: System, q: ArrayLike, body: Body | str | int, frame: str = "body") -> Array:
    """Compute the second derivatives of a body's Jacobian along the velocity coordinates.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    body : Body, str or int
        The body, its name or its row.
    frame : str, optional
        "body" or "spatial".

    Returns
    -------
    ndarray of shape (6, nv, nv, nv)
        [:, j, b, c] is the derivative along c of the derivative along b of column j.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.theory.jacobian_second_partials(system, system.q0, system.body_names[-1]).shape
    (6, 2, 2, 2)
    """
    q, row, in_body = coordinates(system, q), system.row_of(body), is_body(frame)
    S, dS, ddS = screw_second_partials(system, q)
    reach = _reach(system, row)
    if in_body:
        b_moves, c_moves = reach[None, :, None], reach[None, None, :, None]
        first = dS - bracket(S[None, :, :], S[:, None, :]) * b_moves
        along_c = bracket(dS[None, :, :, :], S[:, None, None, :]) + bracket(S[None, :, None, :], dS[:, None, :, :])
        ddS = ddS - along_c * b_moves[..., None]
        ddS = ddS - bracket(S[None, None, :, :], first[:, :, None, :]) * c_moves
    ddS = ddS * reach[:, None, None, None]
    return _finite(system, q, np.einsum("xy,jbcy->xjbc", _carrier(system, q, row, in_body), ddS))


def _finite(system: System, q: Array, partials: Array) -> Array:
    if not np.isfinite(partials).all():
        not_finite(system, "derivatives of a Jacobian", q=q)
    return partials
