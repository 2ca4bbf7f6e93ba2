"""Length and origin that make screws comparable, and every tolerance of this folder.

The halves of a screw have different units, and its moment depends on the origin, so that the rank of a set of screws
means something only when lengths are measured in the mechanism's own size from its own middle:
w' = w, v' = (v - o x w)/l. That map is an automorphism of se(3): brackets, sums and closures go along with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cotree.errors import NotFiniteError, ShapeError
from cotree.judge import COINCIDENT, REPORTED
from cotree.lie import cross, hat
from cotree.screws.screw import Array

# Distance, in scaled screws of unit size, below which two things count as one: the geometric mean of the noise to be
# borne (axes exact to 1e-10 of the mechanism's size) and the differences to be kept (1e-4), a thousandfold both ways.

# Points closer together than this part of their distance from the world's origin count as one point: a mechanism
# smaller than that has lost its own shape to rounding (1e-16/1e-9 = REPORTED). No mechanism is smaller than an atom.
ATOM = 1e-10


def columns(screws: ArrayLike) -> Array:
    """Screws as the columns of a (6, k) array; a single one may come as (6,)."""
    X = np.asarray(screws, dtype=float)
    X = X[:, None] if X.ndim == 1 else X
    if X.ndim != 2 or X.shape[0] != 6:
        raise ShapeError(f"screws are the columns of a (6, k) array, got shape {X.shape}")
    if not np.all(np.isfinite(X)):
        raise NotFiniteError("screws must be finite numbers")
    return X


class Scale(NamedTuple):
    """Unit of length and origin of scaled screws."""

    length: float
    origin: Array

    def apply(self, screws: ArrayLike) -> Array:
        """Scaled screws, each of unit size in R6 (null screws stay null)."""
        X = columns(screws)
        w, v = X[:3], X[3:] - hat(self.origin) @ X[:3]
        X = np.concatenate([w, v / self.length])
        size = np.linalg.norm(X, axis=0)
        return X / np.where(size > 0.0, size, 1.0)

    def undo(self, screws: ArrayLike) -> Array:
        """World-frame coordinates of scaled screws, not resized."""
        X = columns(screws)
        return np.concatenate([X[:3], self.length * X[3:] + hat(self.origin) @ X[:3]])


def normalise(screws: ArrayLike, points: ArrayLike | None = None) -> Scale:
    """Scale of a set of unit screws: origin in the middle of the points, length their largest distance from it.

    Pass the points that the model knows, (n, 3): joints, mass centres. Then ranks depend neither on where the
    mechanism sits nor on its size. Screws alone are lines and hide both: a spherical linkage is as large as one likes,
    a planar one may lie anywhere along its normal. Without points the lines' feet next to their common middle serve.
    """
    X = columns(screws)
    P = _feet(X) if points is None else _rows(points)
    middle = P.mean(axis=0) if len(P) else np.zeros(3)
    spread = np.max(np.linalg.norm(P - middle, axis=1), initial=0.0)
    far = np.max(np.linalg.norm(P, axis=1), initial=0.0)
    lengths = (spread, _largest_pitch(X), far)
    nothing = max(COINCIDENT * max(lengths), ATOM)
    return Scale(float(next((s for s in lengths if s > nothing), 1.0)), middle)


def _rows(points: ArrayLike) -> Array:
    P = np.asarray(points, dtype=float)
    if P.ndim != 2 or P.shape[1] != 3:
        raise ShapeError(f"points are the rows of an (n, 3) array, got shape {P.shape}")
    if not np.all(np.isfinite(P)):
        raise NotFiniteError("points must be finite numbers")
    return P


def _turning(X: Array) -> tuple[Array, Array]:
    """(w, v) of the columns with a rotation, to |w| = 1, as rows."""
    size = np.linalg.norm(X[:3], axis=0)
    turns = size > REPORTED * np.linalg.norm(X, axis=0)
    Y = (X[:, turns] / size[turns]).T
    return Y[:, :3], Y[:, 3:]


def _feet(X: Array) -> Array:
    """Points of the axes next to the point c with the least sum of squared distances from them."""
    w, v = _turning(X)
    if not len(w):
        return np.zeros((0, 3))
    near = cross(w, v)
    c = np.linalg.lstsq(hat(w).reshape(-1, 3), cross(w, near).ravel(), rcond=REPORTED)[0]
    return near + w * (w @ c)[:, None]


def _largest_pitch(X: Array) -> float:
    w, v = _turning(X)
    return float(np.max(np.abs(np.sum(w * v, axis=1)), initial=0.0))
