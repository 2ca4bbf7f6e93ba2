"""Rest positions where laws have states of their own: forces are in balance, and no state changes.

A controller with an integral holds a joint where its error is zero, whatever the load: the position follows from the rates of
the states, and the states from the balance of forces. Both are solved for together by Levenberg-Marquardt steps,
    (-K  Z^T dF/dz; dz_dot/dq Z  dz_dot/dz) (x, dz) = -(Z^T f, z_dot),
in which K is the stiffness of the position with the states held (`statics`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.law_states import with_states
from cotree.errors import EquilibriumError
from cotree.judge import BALANCED
from cotree.kinematics.coordinates import displace
from cotree.studies.law_states import LawStates
from cotree.studies.statics import Rest, Statics

Array = NDArray[np.float64]
STEPS = 200
WIDEST = 0.3  # rad, or parts of the system's length: longest step


def rest_with_laws(rest: Rest, q: Array, laws: LawStates) -> tuple[Array, LawStates]:
    """Position and states at rest, near these."""
    still, damping = np.zeros(rest.system.nv), 1e-6
    left, jacobian, Z, sizes = _equations(rest, q, laws, None)
    for _ in range(STEPS):
        off = float(np.linalg.norm(left))
        if off <= BALANCED:
            break
        scale = np.maximum(np.linalg.norm(jacobian, axis=0), 1e-12)
        A = jacobian / scale
        step = -np.linalg.solve(A.T @ A + damping * np.eye(A.shape[1]), A.T @ left) / scale
        step *= min(1.0, WIDEST / max(float(np.abs(Z @ step[: Z.shape[1]]).max(initial=0.0)), 1e-300))
        there = rest.closed(displace(rest.system, q, Z @ step[: Z.shape[1]]), np.eye(rest.system.nv))
        moved = laws.moved(step[Z.shape[1] :])
        tried = None if there is None else _equations(rest, there, moved, sizes)
        if there is None or tried is None or not float(np.linalg.norm(tried[0])) < off:
            damping *= 10.0
            if damping > 1e12:
                break
            continue
        q, laws, damping = there, moved, max(damping / 10.0, 1e-15)
        left, jacobian, Z, _ = tried
    if not float(np.linalg.norm(left)) <= 1e-8:
        rates = dict(zip(laws.names, laws.rates(q, still, rest.t).tolist(), strict=True))
        worst = max(rates, key=lambda name: abs(rates[name]))
        raise EquilibriumError(
            f"system {rest.system.name!r}: no position was found at which forces are in balance and the states of its laws "
            f"do not change; {worst!r} has a rate of {rates[worst]:.6g}. Give another q, or other start values of the states"
        )
    return q, laws


def small_motions(now: Statics, laws: LawStates, t: float) -> Array:
    """Matrix of the displacements along Z, their rates and the states of laws; what is held does not move."""
    Z, k, s = now.Z, len(now.K), len(laws.places)
    still, none = np.zeros(len(Z)), np.zeros_like(Z)
    inverse = np.linalg.inv(now.M + 1e-12 * np.eye(k))  # displacements that move no mass follow at once
    with with_states(laws.z):
        forces = Z.T @ laws.forces(now.q, still, t)
        by_q, by_v = laws.rates_along(now.q, still, t, Z, none), laws.rates_along(now.q, still, t, none, Z)
        own = laws.rates_by_states(now.q, still, t)
    return np.block([
        [np.zeros((k, k)), np.eye(k), np.zeros((k, s))],
        [-inverse @ now.K, -inverse @ now.C, inverse @ forces],
        [by_q, by_v, own],
    ])  # fmt: skip


def _equations(
    rest: Rest, q: Array, laws: LawStates, sizes: tuple[float, Array] | None
) -> tuple[Array, Array, Array, tuple[float, Array]]:
    """What is left of forces and rates, by the sizes that they have at the start; its derivatives; Z; the sizes."""
    still = np.zeros(rest.system.nv)
    with with_states(laws.z):
        now = rest.at(q)
        by_states, rates = laws.forces(q, still, rest.t), laws.rates(q, still, rest.t)
        along = laws.rates_along(q, still, rest.t, now.Z, np.zeros_like(now.Z))
        own = laws.rates_by_states(q, still, rest.t)
    if sizes is None:
        steep = np.abs(np.hstack([along, own])).max(axis=1, initial=0.0)
        sizes = max(now.scale, 1e-300), np.maximum(np.maximum(np.abs(rates), steep), 1e-300)
    force, rate = sizes
    left = np.concatenate([now.force / force, rates / rate])
    jacobian = np.block([[-now.K / force, now.Z.T @ by_states / force], [along / rate[:, None], own / rate[:, None]]])
    return left, jacobian, now.Z, sizes
