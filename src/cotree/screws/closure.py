"""Lie closure of screws: the smallest motion algebra that holds them, Reg (25), found by fitting.

Every subalgebra of se(3) is of one of twelve kinds, so the smallest one is read off the screws directly: are the axes
parallel, do they coincide, do they meet in a point? Each question is a least-squares fit to the screws as given, whose
residual is compared with the tolerance. Noise therefore stays as small as it came in, while brackets of a basis (see
`brackets`, the route of Reg) multiply it by the inverse of the angles between the axes, over and over again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cotree.judge import REPORTED
from cotree.lie import cross, hat
from cotree.screws.kinds import Kind
from cotree.screws.pairs import CLIMBING, KINDS, about_one_axis
from cotree.screws.scale import columns
from cotree.screws.screw import Array
from cotree.screws.spans import dimension, span
from cotree.screws.subgroups import Subgroup, basis_of, subgroup


def closure(screws: ArrayLike, tol: float = REPORTED) -> Array:
    """Orthonormal basis of the smallest Lie subalgebra that holds the scaled screws, each to within tol.

    The fixed point of the bracket, Reg (25), whose nested brackets up to second order do not always suffice
    (`brackets.nested_brackets` says when). The basis is closed to rounding, however noisy the screws.
    """
    return closed(columns(screws), tol)


def closed(X: Array, tol: float = REPORTED) -> Array:
    """The same of screws that are known to be finite columns."""
    if X.shape[1] == 1 and (size := np.linalg.norm(X)) > tol:
        return X / size  # one screw is closed
    group = _smallest(X, tol)
    basis = basis_of(group)
    return basis if group.point is None and group.pitch is None else np.linalg.qr(basis)[0]


def identify(basis: ArrayLike, tol: float = REPORTED) -> Subgroup:
    """Subgroup whose algebra is the span of the scaled screws; `Kind.NO_GROUP` if that span is not a subalgebra."""
    found, size = motion_group(basis, tol), dimension(span(basis, tol))
    return found if found.dimension == size else Subgroup(Kind.NO_GROUP, size)


def motion_group(screws: ArrayLike, tol: float = REPORTED) -> Subgroup:
    """Smallest subgroup of SE(3) whose algebra holds the scaled screws, the completion group of Reg section 5."""
    return _smallest(columns(screws), tol)


def _smallest(X: Array, tol: float) -> Subgroup:
    if X.shape[1] == 2 and (found := about_one_axis(X[:, 0].tolist(), X[:, 1].tolist(), tol)):
        return subgroup(*found)
    return _smallest_of_all(X, tol)


def _smallest_of_all(X: Array, tol: float) -> Subgroup:
    w, v = X[:3], X[3:]
    U, sizes, _ = np.linalg.svd(w, full_matrices=False)
    turns = np.count_nonzero(sizes > tol)
    if turns == 0:
        return _translations(v, tol)
    return _about_axis(U[:, 0], w, v, tol) if turns == 1 else _about_point(w, v, tol)


def _translations(v: Array, tol: float) -> Subgroup:
    """No rotation: the span of the directions."""
    U, sizes, _ = np.linalg.svd(v, full_matrices=False)
    match np.count_nonzero(sizes > tol):
        case 0:
            return subgroup(Kind.WELD)
        case 1:
            return subgroup(Kind.PRISMATIC, axis=U[:, 0])
        case 2:
            return subgroup(Kind.PLANAR_TRANSLATION, axis=cross(U[:, 0], U[:, 1]))
    return subgroup(Kind.TRANSLATION)


def _about_axis(e: Array, w: Array, v: Array, tol: float) -> Subgroup:
    """Parallel axes: (w, v)_i = a_i (e, m) + (0, rest_i), and rest closes under e x to parts along e and across."""
    a = e @ w
    m = v @ a / (a @ a)
    rest = v - np.outer(m, a)
    along = e @ rest
    across = rest - np.outer(e, along)
    kind = KINDS[bool(np.linalg.norm(across) > tol), bool(np.linalg.norm(along) > tol)]
    h = float(e @ m)
    climbs = kind in CLIMBING and abs(h) * np.linalg.norm(a) > tol
    point = cross(e, m) if kind in (Kind.REVOLUTE, Kind.CYLINDRICAL) else None
    return subgroup(CLIMBING[kind] if climbs else kind, e, point, h if climbs else None)


def _about_point(w: Array, v: Array, tol: float) -> Subgroup:
    """Axes of several directions: rotations about the point c with v_i = c x w_i, or else everything."""
    A, b = hat(-w.T).reshape(-1, 3), v.T.ravel()
    c = np.linalg.lstsq(A, b, rcond=None)[0]
    return subgroup(Kind.SPHERICAL, point=c) if np.linalg.norm(A @ c - b) <= tol else subgroup(Kind.FREE)
