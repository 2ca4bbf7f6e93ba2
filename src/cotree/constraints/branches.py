"""Velocities that begin a motion at a singular configuration, where branches of motions meet.

Admissible velocities are v in ker J (shifted by drivers). A motion needs an acceleration, J v_dot = eta(q, v), hence
w^T eta(q, v) = 0 for all w in ker J^T: the tangent cone to second order. eta is quadratic in v, so the cone is one of
quadrics, given by a few numbers, on which a nearby point is sought by Gauss-Newton steps from several starts. At a regular
configuration, rows redundant or not, the condition holds by itself. It is necessary; that a motion follows is not proved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_residual
from cotree.constraints.assembly_errors import on_no_branch
from cotree.constraints.rank import count, sizes_or_largest
from cotree.constraints.units import column_units, length_of
from cotree.errors import MotionError
from cotree.system.system import System

Array = NDArray[np.float64]
ON_BRANCH = (
    1e-6  # relative to squared velocities: rounding, loops not quite closed, drivers whose rates are differences
)
SHORT = 1e-3  # a velocity shorter than this part of the one given is none
STEPS, STARTS = (
    50,
    80,
)  # Gauss-Newton steps; starts for each dimension of ker J: with 30 one branch in twenty was missed


def on_branch(system: System, q: Array, v: Array, t: float, J: Array, L: Array, near: bool) -> Array:
    """v, admissible, if it begins a motion; else (near) the nearest velocity found that does. L L^T: mass matrix."""
    columns = column_units(system)
    size = np.abs(J * columns).max(axis=1)
    units = sizes_or_largest(size, length_of(system))  # rows in rates of coordinates
    U, s, Vt = np.linalg.svd(np.linalg.solve(L, (J / units[:, None]).T).T)
    rank = count(s)
    W, N = U[:, rank:].T, np.linalg.solve(L.T, Vt[rank:].T)

    def condition(x: Array) -> Array:
        return W @ (constraint_bias(system, q, x, t) / units)

    gap = np.abs(constraint_residual(system, q, t) / units).max()
    eta = constraint_bias(system, q, v, t) / units
    allowed = max(ON_BRANCH, 10.0 * gap) * max(np.abs(v / columns).max() ** 2, np.abs(eta).max())
    if not N.shape[1] or np.abs(condition(v)).max(initial=0.0) <= allowed:
        return v
    y = N.T @ (L @ (L.T @ v))
    base, found = v - N @ y, None
    if near:
        found = _nearest(_Cone.through(lambda x: condition(base + N @ x), len(y), float(np.linalg.norm(y))), y)
    x = v if found is None else base + N @ found
    kept = np.linalg.norm(L.T @ x) > SHORT * np.linalg.norm(L.T @ v)
    if found is None or not kept or np.abs(condition(x)).max() > allowed:
        raise MotionError(on_no_branch(system, units * (W.T @ condition(v)), near))
    return x


@dataclass(frozen=True)
class _Cone:
    """c(x) = c0 + l x + x Q x, one a condition, for rows x of points in units of `scale`."""

    c0: Array
    linear: Array
    Q: Array
    scale: float

    @staticmethod
    def through(c: Callable[[Array], Array], n: int, scale: float) -> _Cone:
        """From values: differences are exact for quadratic functions."""
        e, scale = np.eye(n), scale or 1.0
        c0 = c(np.zeros(n))
        plus, minus = np.array([c(scale * x) for x in e]), np.array([c(-scale * x) for x in e])
        Q = np.zeros((len(c0), n, n))
        for i in range(n):
            Q[:, i, i] = 0.5 * (plus[i] + minus[i]) - c0
            for k in range(i):
                mixed = 0.5 * (c(scale * (e[i] + e[k])) - plus[i] - plus[k] + c0)
                Q[:, i, k] = Q[:, k, i] = mixed
        linear = 0.5 * (plus - minus).T
        size = max(np.abs(Q).max(), np.abs(linear).max(), np.abs(c0).max(), 1e-300)
        return _Cone(c0 / size, linear / size, Q / size, scale)

    @property
    def through_rest(self) -> bool:
        """Whether it is made of rays from rest: without drivers."""
        return max(np.abs(self.c0).max(), np.abs(self.linear).max()) < 1e-12

    def value(self, x: Array) -> Array:
        return self.c0 + x @ self.linear.T + np.einsum("kij,si,sj->sk", self.Q, x, x, optimize=True)

    def slope(self, x: Array) -> Array:
        return self.linear + 2.0 * np.einsum("kij,sj->ski", self.Q, x)


def _nearest(cone: _Cone, y: Array) -> Array | None:
    """Point of the cone nearest to y among those that the starts lead to; rest does not count."""
    target, rng = y / cone.scale, np.random.default_rng(0)
    x = np.concatenate([target[None], target + rng.standard_normal((STARTS * len(y), len(y)))])
    x = _on_cone(cone, x, cone.through_rest)
    if cone.through_rest:
        x = x * (x @ target)[:, None]  # the point of the ray nearest to the target
    x = np.concatenate([x, _along_cone(cone, x, target)])
    x = x[np.linalg.norm(x, axis=1) > SHORT]
    if not len(x):
        return None
    away = np.linalg.norm(x - target, axis=1)
    x = x[away <= away.min() + 1e-5]  # on double lines steps end a little off, some more than others: take the best
    return cone.scale * x[np.argmin(np.abs(cone.value(x)).max(axis=1))]


def _on_cone(cone: _Cone, x: Array, on_sphere: bool) -> Array:
    """Points that Gauss-Newton steps lead to, on rays from rest those of unit length: else rest would attract all."""
    for _ in range(STEPS):
        c, C = cone.value(x), cone.slope(x)
        if on_sphere:
            length = np.linalg.norm(x, axis=1, keepdims=True)
            c, C = np.concatenate([c, length**2 - 1.0], axis=1), np.concatenate([C, 2.0 * x[:, None]], axis=1)
        x = _bounded(x - _least_norm(C, c))
    return _fulfilled(cone, x)


def _along_cone(cone: _Cone, x: Array, target: Array) -> Array:
    """Points moved along the cone towards the target: again and again to the nearest point of the tangent plane."""
    for _ in range(STEPS if len(x) else 0):
        C = cone.slope(x)
        x = _bounded(target - _least_norm(C, cone.value(x) + np.einsum("ski,si->sk", C, target - x)))
    return _fulfilled(cone, x)


def _least_norm(C: Array, c: Array) -> Array:
    return np.einsum("sik,sk->si", np.linalg.pinv(C, rcond=1e-8), c)


def _bounded(x: Array) -> Array:
    """Points that went astray are brought back, to be sorted out."""
    return x * np.minimum(1.0, 1e3 / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300))


def _fulfilled(cone: _Cone, x: Array) -> Array:
    return x[np.abs(cone.value(x)).max(axis=1, initial=0.0) < 1e-12]
