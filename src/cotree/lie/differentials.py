"""Array faces of the differentials: 6x6 matrices that act on columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cotree.engine.kernel import kernel
from cotree.lie import cayley, direct, se3
from cotree.lie.shapes import Array, map_rows
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
    """6x6 matrix of (d exp) exp^-1 on SE(3)."""
    return map_rows(_dexp_spatial, X, (6,), (6, 6))


def dexp_spatial_inv(X: ArrayLike) -> Array:
    """Its inverse, Lie (9)."""
    return map_rows(_dexp_spatial_inv, X, (6,), (6, 6))


def dexp_body(X: ArrayLike) -> Array:
    """6x6 matrix of exp^-1 (d exp) = dexp_spatial(-X)."""
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
