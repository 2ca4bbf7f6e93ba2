"""Contacts that act on each other: groups of cones whose impulses change each other's velocities, solved one by one."""

import numpy as np

from cotree.engine.kernel import kernel


@kernel
def put_islands(G, cones, island):
    """Number of the island of each cone, from 0 on; how many there are."""
    stack, count = np.empty(cones.size, np.int64), 0
    for i in range(cones.size):
        island[i] = -1
    for start in range(cones.size):
        if island[start] >= 0:
            continue
        island[start], stack[0], top = count, start, 1
        while top > 0:
            top -= 1
            i = stack[top]
            for j in range(cones.size):
                if island[j] < 0 and coupled(G, cones[i], cones[j]):
                    island[j], stack[top] = count, j
                    top += 1
        count += 1
    return count


@kernel
def coupled(G, one, other):
    """Whether a block or its transpose has an entry that is not zero."""
    for r in range(one.first, one.first + one.normal + one.tangents):
        for k in range(other.first, other.first + other.normal + other.tangents):
            if G[r, k] != 0.0 or G[k, r] != 0.0:
                return True
    return False


@kernel
def put_members(cones, island, number, members, rows):
    """Table of the cones of one island with rows of its own, and where these rows are; how many cones and rows."""
    k, n = 0, 0
    for i in range(cones.size):
        if island[i] != number:
            continue
        members[k] = cones[i]
        members[k].first = n
        for r in range(cones[i].normal + cones[i].tangents):
            rows[n] = cones[i].first + r
            n += 1
        k += 1
    return k, n
