"""Derivatives of the joint screws by Lie brackets, Geo (26) to (28).

In the world frame d_b S_j = [S_b, S_j] when b lies above j; within one joint it depends on whether the screw is carried.
For coordinate-free joints d_b is the derivative along the b-th velocity (a left-invariant field).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.kinematics.motion import canonical_sum
from cotree.kinematics.sweep import place_all
from cotree.lie import Ad, ad, bracket, cayley, hat, se3, vee
from cotree.lie.storage import pose, put_pose_of, put_twist, twist
from cotree.system.arguments import coordinates, require_finite
from cotree.system.system import System
from cotree.system.tables import CAYLEY, FIRST
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@kernel
def canonical_rate(link, dofs, j, q, direction, P):
    """Derivative of screw j of a link in first-kind or Cayley coordinates along q + s direction (own coordinates)."""
    X, U = canonical_sum(link, dofs, q[link.iq :]), canonical_sum(link, dofs, direction)
    Y = twist(dofs[j].Y)
    H = se3.ddexp_spatial(X, U, Y) if link.kind == FIRST else cayley.ddcay_spatial(X, U, Y)
    return se3.Ad(P, H)


@kernel
def put_rates(links, dofs, work, dof_work, q, v, rates):
    """Time derivatives of all screws, rows of six; links must be placed and moved."""
    for j in range(dofs.size):
        link = links[dofs[j].link]
        carrier = dofs[j].link if dofs[j].carried else link.parent
        rate = se3.bracket(twist(work[carrier].V), twist(dof_work[j].S))
        if link.kind == FIRST or link.kind == CAYLEY:
            P = pose(work[link.parent].C)
            rate = se3.plus(rate, canonical_rate(link, dofs, j, q, v[link.iv :], P))
        put_twist(rates[j], rate)


@kernel
def _screws(here, q, S, own, C):
    """Screws S (nv, 6); for canonical joints their derivatives along the joint's own coordinates (nv, 6, 6); C (n, 4, 4)
    displacements of the links, all about the sweep's origin."""
    tables = open_tables(here)
    place_all(tables, q)
    unit = np.zeros(6)
    for j in range(tables.dofs.size):
        put_twist(S[j], twist(tables.dof_work[j].S))
        link = tables.links[tables.dofs[j].link]
        if link.kind == FIRST or link.kind == CAYLEY:
            P = pose(tables.work[link.parent].C)
            for b in range(link.nv):
                unit[:] = 0.0
                unit[b] = 1.0
                put_twist(own[j, b], canonical_rate(link, tables.dofs, j, q, unit, P))
    for i in range(tables.links.size):
        put_pose_of(C[i], pose(tables.work[i].C))


def relation(system: System) -> NDArray[np.int8]:
    """relation[b, j]: 2 where dof b lies above dof j, 1 where they share a link, else 0."""

    def make() -> NDArray[np.int8]:
        parents = system.links["parent"]
        above = np.zeros((len(parents), len(parents)), np.int8)
        for k in range(1, len(parents)):
            above[:, k] = above[:, parents[k]]
            above[parents[k], k] = 2
        np.fill_diagonal(above, 1)
        of = system.dofs["link"]
        return above[np.ix_(of, of)]

    return system.cached("relation", make)


def screw_partials(system: System, q: Any) -> tuple[Array, Array, Array]:
    """(S, dS, C) about the sweep's origin: S[j], dS[j, b] = d_b S_j, and the links' displacements (n, 4, 4)."""
    q = coordinates(system, q)
    require_finite(system, q=q)
    nv = system.nv
    S, own, C = np.empty((nv, 6)), np.zeros((nv, 6, 6)), np.empty((len(system.links), 4, 4))
    _screws(system.here, q, S, own, C)
    r = relation(system).T
    brackets = bracket(S[None, :, :], S[:, None, :])  # [j, b] = [S_b, S_j]
    carried = system.dofs["carried"][:, None].astype(bool)
    dS = np.where(((r == 2) | ((r == 1) & carried))[..., None], brackets, 0.0)
    for j in np.flatnonzero(np.isin(system.links["kind"][system.dofs["link"]], (FIRST, CAYLEY))):
        link = system.links[system.dofs["link"][j]]
        dS[j, link["iv"] : link["iv"] + link["nv"]] = own[j, : link["nv"]]
    return S, dS, C


def screw_second_partials(system: System, q: Any) -> tuple[Array, Array, Array]:
    """(S, dS, ddS) with ddS[j, b, c] = d_c d_b S_j."""
    S, dS, C = screw_partials(system, q)
    r = relation(system).T
    carried = system.dofs["carried"][:, None].astype(bool)
    moves = ((r == 2) | ((r == 1) & carried))[..., None, None]
    product_rule = bracket(dS[None, :, :, :], S[:, None, None, :]) + bracket(S[None, :, None, :], dS[:, None, :, :])
    ddS = np.where(moves, product_rule, 0.0)
    for k in np.flatnonzero(np.isin(system.links["kind"], (FIRST, CAYLEY))):
        _put_canonical_second(system, int(k), coordinates(system, q), C, S, dS, ddS)
    return S, dS, ddS


def _put_canonical_second(system: System, k: int, q: Array, C: Array, S: Array, dS: Array, ddS: Array) -> None:
    """Second derivatives along the own coordinates of a joint with coordinates of the first kind or Cayley's."""
    link = system.links[k]
    own = slice(link["iv"], link["iv"] + link["nv"])
    Y = system.dofs["Y"][own]
    X = q[link["iq"] : link["iq"] + link["nv"]] @ Y
    second = _second_dexp if link["kind"] == FIRST else _second_dcay
    A = Ad(C[link["parent"]])
    above = relation(system)[:, link["iv"]] == 2
    for j in range(own.start, own.stop):
        for b in range(own.start, own.stop):
            ddS[j, b, above] = bracket(S[above], dS[j, b])
            for c in range(own.start, own.stop):
                ddS[j, b, c] = A @ second(X, Y[b - own.start], Y[c - own.start], Y[j - own.start])


def _second_dexp(X: Array, U: Array, W: Array, Y: Array) -> Array:
    """Second derivative of dexp_spatial(X) Y along U and W: corner of the function of a block triangular matrix."""
    from scipy.linalg import expm  # slow to load

    A, B, C, Z, I = ad(X), ad(U), ad(W), np.zeros((6, 6)), np.eye(24)
    M = np.block([[A, B, C, Z], [Z, A, Z, C], [Z, Z, A, B], [Z, Z, Z, A]])
    phi = expm(np.block([[M, I], [np.zeros((24, 48))]]))[:24, 24:]  # phi(M) = (exp M - I) / M
    return phi[:6, 18:] @ Y


def _second_dcay(X: Array, U: Array, W: Array, Y: Array) -> Array:
    """The same of dcay_spatial(X) Y = P Y Q, P = (I - X/2)^-1, Q = (I + X/2)^-1, by the product rule."""
    x, u, w, y = 0.5 * hat(X), 0.5 * hat(U), 0.5 * hat(W), hat(Y)
    P, Q = np.linalg.inv(np.eye(4) - x), np.linalg.inv(np.eye(4) + x)
    Pu, Pw, Qu, Qw = P @ u @ P, P @ w @ P, -Q @ u @ Q, -Q @ w @ Q
    Puw, Quw = Pw @ u @ P + P @ u @ Pw, -Qw @ u @ Q - Q @ u @ Qw
    return vee(Puw @ y @ Q + Pu @ y @ Qw + Pw @ y @ Qu + P @ y @ Quw)
