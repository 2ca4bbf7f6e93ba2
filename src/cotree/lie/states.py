"""States (pose, velocity) as a group on arrays, [Lie (11) to (14), (20) to (23)]: the configuration group times its algebra, in
which velocities are added. A state is a pair of arrays (..., 4, 4) and (..., 6), an element of the algebra a pair of (..., 6).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ChoiceError
from cotree.lie.differentials import dexp_spatial_inv, dexp_spatial_inv_direct
from cotree.lie.direct_faces import bracket_direct, compose_direct, exp_direct, inverse_direct, log_direct
from cotree.lie.maps import exp_se3, log_se3
from cotree.lie.matrices import bracket, inverse
from cotree.lie.shapes import checked

Array = NDArray[np.float64]
Pair = tuple[ArrayLike, ArrayLike]
State = tuple[Array, Array]
# product, inverse, bracket, exp, log and the inverse of dexp of each group
_OF: dict[str, tuple[Any, ...]] = {
    "SE3": (lambda a, b: checked(a, (4, 4)) @ checked(b, (4, 4)), inverse, bracket, exp_se3, log_se3, dexp_spatial_inv),
    "SO3xR3": (compose_direct, inverse_direct, bracket_direct, exp_direct, log_direct, dexp_spatial_inv_direct),
}


def compose_states(a: Pair, b: Pair, group: str = "SE3") -> State:
    """(C_a C_b, V_a + V_b): the product of states [Lie (11), (20)]."""
    return _of(group)[0](a[0], b[0]), checked(a[1], (6,)) + checked(b[1], (6,))


def inverse_state(a: Pair, group: str = "SE3") -> State:
    """(C^-1, -V)."""
    return _of(group)[1](a[0]), -checked(a[1], (6,))


def bracket_states(x: Pair, y: Pair, group: str = "SE3") -> State:
    """([X_1, X_2], 0) of elements (X, A) of the algebra [Lie (13), (22)]."""
    found = _of(group)[2](x[0], y[0])
    return found, np.zeros(np.broadcast_shapes(found.shape, checked(x[1], (6,)).shape, checked(y[1], (6,)).shape))


def exp_state(x: Pair, group: str = "SE3") -> State:
    """(exp X, A) [Lie (12), (21)]."""
    return _of(group)[3](x[0]), checked(x[1], (6,)).copy()


def log_state(a: Pair, group: str = "SE3") -> State:
    """(log C, V): the inverse of `exp_state` for turns below pi."""
    return _of(group)[4](a[0]), checked(a[1], (6,)).copy()


def dexp_inv_state(x: Pair, y: Pair, group: str = "SE3") -> State:
    """(dexp_X^-1 Y, B) for x = (X, A) and y = (Y, B) [Lie (14), (23)]; dexp as the paper's, `dexp_spatial`."""
    matrix = _of(group)[5](x[0])
    return np.einsum("...ij,...j->...i", matrix, checked(y[0], (6,))), checked(y[1], (6,)).copy()


def _of(group: str) -> tuple[Any, ...]:
    if group not in _OF:
        raise ChoiceError(f"group {group!r} is unknown; choose 'SE3' or 'SO3xR3'")
    return _OF[group]
