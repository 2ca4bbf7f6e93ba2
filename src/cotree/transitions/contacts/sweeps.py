"""Block Gauss-Seidel: one contact after the other is solved exactly, the others as they are."""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.transitions.contacts.block import put_block


@kernel
def sweep(A, b, part, cones, P):
    """One sweep over all cones, in place, which go by a part of the way to their own solutions; the largest change."""
    c, most = np.empty(3), 0.0
    for i in range(cones.size):
        cone = cones[i]
        first, k = cone.first, cone.normal + cone.tangents
        for r in range(k):
            c[r] = b[first + r] + outside(A[first + r], P, first, first + k)
        own = P[first : first + k]
        before = (own[0], own[1] if k > 1 else 0.0, own[2] if k > 2 else 0.0)
        put_block(A[first : first + k, first : first + k], cone, c, own)
        for r in range(k):
            own[r] = before[r] + part * (own[r] - before[r])
            most = max(most, abs(own[r] - before[r]))
    return most


@kernel
def outside(row, P, first, last):
    """row P without the entries from first to last - 1."""
    s = 0.0
    for j in range(first):
        s += row[j] * P[j]
    for j in range(last, P.size):
        s += row[j] * P[j]
    return s
