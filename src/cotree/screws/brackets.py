"""Nested Lie brackets of screws: the route of Reg (25) to the closure, and where it has to stop."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cotree.judge import REPORTED
from cotree.lie import bracket
from cotree.screws.scale import columns
from cotree.screws.screw import Array
from cotree.screws.spans import dimension, span

ENOUGH = 4  # orders of brackets that close every set of screws, see nested_brackets


def nested_brackets(screws: ArrayLike, order: int = ENOUGH, tol: float = REPORTED) -> Array:
    """Basis of span(Y_j, [Y_j, Y_k], [Y_j, [Y_k, Y_l]], ...) with up to `order` brackets, Reg (25) for order 2.

    Reg stops at order 2. What the screws need, by exact arithmetic and by hand:
    - order 1: revolute axes that are parallel or meet in a point, with dimensions 2, 3 for two of them;
    - order 2: a revolute axis (0, 0, 1) and a prismatic one (1, 0, 1), 2, 3, 4; enough unless the screws span just two
      dimensions with axes that are not parallel;
    - order 3: two skew revolute axes, 2, 3, 5, 6. Two screws have one first and two second brackets, so that order 2
      spans five dimensions at most, which no subalgebra has: there Reg (25) fails;
    - order 4: a helical and a revolute axis that cross at a right angle, 2, 3, 4, 5, 6. Never more, since each order
      but the last adds a dimension.
    Brackets are taken of basis vectors and not resized, so that noise below tol adds no dimension; what is added may
    carry the noise magnified by the inverse of its size, which `closure` avoids.
    """
    first = grown = span(screws, tol)
    for _ in range(order):
        last, grown = grown, span(np.concatenate([grown, _pairs(first, grown)], axis=1), tol)
        if dimension(last) == dimension(grown):
            break
    return grown


def _pairs(A: Array, B: Array) -> Array:
    """All brackets [a, b] of columns of A with columns of B."""
    return columns(bracket(A.T[:, None], B.T[None, :]).reshape(-1, 6).T)
