"""The natural map of Alart and Curnier, whose zeros are the impulses looked for.

F_N = min(P_N, u_N),  F_T = P_T - proj(P_T - u_T) on the disc of radius mu max(0, P_N - u_N) + a.
"""

import numpy as np

from cotree.engine.kernel import dense, kernel
from cotree.engine.vectors import inner
from cotree.transitions.contacts.cones import OPEN, SLIP, STICK


@dense
def put_rates(A, b, P, u):
    """u = A P + b."""
    for i in range(b.size):
        u[i] = b[i] + inner(A[i], P)


@kernel
def put_map(cones, P, u, F, modes):
    """F, and the mode of each cone by which it is computed; the largest absolute value of F."""
    most = 0.0
    for i in range(cones.size):
        modes[i] = put_one(cones[i], P, u, F)
        for r in range(cones[i].first, cones[i].first + cones[i].normal + cones[i].tangents):
            most = max(most, abs(F[r]))
            if not abs(F[r]) < np.inf:
                return np.inf
    return most


@kernel
def put_one(cone, P, u, F):
    """The map of one cone; its mode. Open is a cone whose disc has shrunk to a point; without tangents a normal that pushes
    sticks."""
    f, push = cone.first, 0.0
    if cone.normal == 1:
        push = max(0.0, P[f] - u[f])
        F[f] = P[f] - push
        f += 1
    bound = cone.mu * push + cone.radius
    mode = STICK if push > 0.0 or cone.normal == 0 else OPEN
    if cone.tangents == 0:
        return mode
    if bound == 0.0 and mode == OPEN:
        for j in range(cone.tangents):
            F[f + j] = P[f + j]
        return OPEN
    size = 0.0
    for j in range(cone.tangents):
        size += (P[f + j] - u[f + j]) ** 2
    size = np.sqrt(size)
    sticks = size <= bound and bound > 0.0
    part = 1.0 if sticks else (bound / size if size > 0.0 else 0.0)
    for j in range(cone.tangents):
        F[f + j] = P[f + j] - part * (P[f + j] - u[f + j])
    return STICK if sticks else SLIP
