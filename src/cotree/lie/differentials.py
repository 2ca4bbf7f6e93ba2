"""Array faces of the differentials: 6x6 matrices that act on columns, 3x3 ones for rotation vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from cotree.engine.kernel import kernel
from cotree.lie import cayley, direct, se3
from cotree.lie.shapes import Array, checked, map_rows
from cotree.lie.storage import put_column, twist


@kernel
def _unit(j):
    """Twist number j of the standard basis."""
    return ((1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2)), (1.0 * (j == 3), 1.0 * (j == 4), 1.0 * (j == 5)))


# One loop for each map, not one function that makes them: Numba does not find the cached code of a closure again.


@kernel
def _dexp_spatial(x, out):
    for i in range(x.shape[0]):
        for j in range(6):
            put_column(out[i], j, se3.dexp_spatial(twist(x[i]), _unit(j)))


@kernel
def _dexp_spatial_inv(x, out):
    for i in range(x.shape[0]):
        for j in range(6):
            put_column(out[i], j, se3.dexp_spatial_inv(twist(x[i]), _unit(j)))


@kernel
def _dcay_spatial(x, out):
    for i in range(x.shape[0]):
        for j in range(6):
            put_column(out[i], j, cayley.dcay_spatial(twist(x[i]), _unit(j)))


@kernel
def _dcay_spatial_inv(x, out):
    for i in range(x.shape[0]):
        for j in range(6):
            put_column(out[i], j, cayley.dcay_spatial_inv(twist(x[i]), _unit(j)))


@kernel
def _dexp_spatial_direct(x, out):
    for i in range(x.shape[0]):
        for j in range(6):
            put_column(out[i], j, direct.dexp_spatial(twist(x[i]), _unit(j)))


@kernel
def _dexp_spatial_inv_direct(x, out):
    for i in range(x.shape[0]):
        for j in range(6):
            put_column(out[i], j, direct.dexp_spatial_inv(twist(x[i]), _unit(j)))


def dexp_spatial(X: ArrayLike) -> Array:
    """6x6 matrix of (d exp) exp^-1 on SE(3); of a rotation vector (3,) the 3x3 one on SO(3)."""
    return _of_twist_or_rotation(_dexp_spatial, X)


def dexp_spatial_inv(X: ArrayLike) -> Array:
    """Its inverse, Lie (9); on SO(3) Lie (10)."""
    return _of_twist_or_rotation(_dexp_spatial_inv, X)


def _of_twist_or_rotation(loop: Callable[..., None], X: ArrayLike) -> Array:
    """A rotation is a motion without translation, and its matrix the angular block of that motion's."""
    x = checked(X, (3,), (6,))
    if x.shape[-1] == 6:
        return map_rows(loop, x, (6,), (6, 6))
    return map_rows(loop, np.concatenate((x, np.zeros_like(x)), axis=-1), (6,), (6, 6))[..., :3, :3].copy()


def dexp_body(X: ArrayLike) -> Array:
    """6x6 or 3x3 matrix of exp^-1 (d exp) = dexp_spatial(-X)."""
    return dexp_spatial(-np.asarray(X, dtype=float))


def dexp_body_inv(X: ArrayLike) -> Array:
    """Its inverse: the map in the Munthe-Kaas line."""
    return dexp_spatial_inv(-np.asarray(X, dtype=float))


def dcay_spatial(X: ArrayLike) -> Array:
    """6x6 matrix of (d cay) cay^-1."""
    return map_rows(_dcay_spatial, X, (6,), (6, 6))


def dcay_spatial_inv(X: ArrayLike) -> Array:
    """Its inverse."""
    return map_rows(_dcay_spatial_inv, X, (6,), (6, 6))


def dexp_spatial_direct(X: ArrayLike) -> Array:
    """6x6 matrix of (d exp) exp^-1 on SO(3) x R3."""
    return map_rows(_dexp_spatial_direct, X, (6,), (6, 6))


def dexp_spatial_inv_direct(X: ArrayLike) -> Array:
    """Its inverse."""
    return map_rows(_dexp_spatial_inv_direct, X, (6,), (6, 6))
