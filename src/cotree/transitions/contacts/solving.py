"""Impulses of all contacts: sweeps bring the modes about, Newton's method the digits.

Each island is solved in units in which its diagonal blocks are of size 1. Where forces are not determined (four feet of a
table) G has no inverse; G + shift has one, and the impulses of least squares in these units are its limit. So the problem is
solved with the shift, then again around what was found, until the map without shift is below the tolerance.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.transitions.contacts.islands import put_islands, put_members
from cotree.transitions.contacts.natural_map import put_map, put_rates
from cotree.transitions.contacts.newton import newton
from cotree.transitions.contacts.sweeps import sweep

SHIFT = 1e-7  # of diagonal blocks of size 1
ROUNDS, FIRST_SWEEPS, MOST_SWEEPS = 12, 8, 4000
LEAST_PART = 0.2
LEVELS = 16  # of friction, from none to all of it
FAR = 1e-8  # relative: where sweeps and Newton's method have failed
GOAL = 1e-14  # relative: what is tried for


@kernel
def put_impulses(G, b, cones, P, u, modes):
    """P and u = G P + b in place, P from what it is at the call; modes of the cones; the residual of the natural map, relative
    to the largest b, all in the units of each island. Not a solution above 1e-10."""
    island = np.empty(cones.size, np.int64)
    members, rows = np.empty_like(cones), np.empty(b.size, np.int64)
    count, worst = put_islands(G, cones, island), 0.0
    for number in range(count):
        k, n = put_members(cones, island, number, members, rows)
        worst = max(worst, put_island(G, b, members[:k], rows[:n], P))
    put_rates(G, b, P, u)
    F = np.empty(b.size)
    put_map(cones, P, u, F, modes)
    return worst


@kernel
def put_island(G, b, cones, rows, P):
    """The impulses of one island, in its own units; the residual."""
    n = rows.size
    A, c, x, unit = np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n)
    put_units(G, cones, rows, unit)
    size = 0.0
    for i in range(n):
        c[i], x[i] = unit[i] * b[rows[i]], P[rows[i]] / unit[i]
        size = max(size, abs(c[i]))
        for j in range(n):
            A[i, j] = unit[i] * G[rows[i], rows[j]] * unit[j]
    scaled = np.empty_like(cones)
    for i in range(cones.size):
        scaled[i] = cones[i]
        scaled[i].radius = cones[i].radius / unit[cones[i].first]
    residual = 0.0
    if size > 0.0:
        residual = put_scaled(A, c, scaled, x, size) / size
    else:
        x[:] = 0.0
    for i in range(n):
        P[rows[i]] = x[i] * unit[i]
    return residual


@kernel
def put_units(G, cones, rows, unit):
    """1 / sqrt of the mean diagonal entry of each block, for all of its rows; 1 for those that cannot move."""
    for i in range(cones.size):
        k, s = cones[i].normal + cones[i].tangents, 0.0
        for r in range(cones[i].first, cones[i].first + k):
            s += G[rows[r], rows[r]] / k
        for r in range(cones[i].first, cones[i].first + k):
            unit[r] = 1.0 / np.sqrt(s) if s > 0.0 else 1.0


@kernel
def put_scaled(A, c, cones, x, size):
    """The same in units of the island: with the shift, then around each solution; the map's size without the shift."""
    n = c.size
    shifted, d, best, u, F = A.copy(), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    modes, centre = np.empty(cones.size, np.int64), np.zeros(n)
    for i in range(n):
        shifted[i, i] += SHIFT
    least = np.inf
    for _ in range(4):
        for i in range(n):
            d[i] = c[i] - SHIFT * centre[i]
        if put_shifted(shifted, d, cones, x, GOAL * size) > FAR * size:
            put_by_friction(shifted, d, cones, x, GOAL * size)
        put_rates(A, c, x, u)
        residual = put_map(cones, x, u, F, modes)
        if not residual < 0.5 * least:
            break
        least = residual
        best[:], centre[:] = x, x
        if residual <= GOAL * size:
            break
    x[:] = best
    return least


@kernel
def put_shifted(A, d, cones, x, goal):
    """Sweeps and Newton's method by turns, each longer than the last; the map's size."""
    n, sweeps, done, part = d.size, FIRST_SWEEPS, 0, 1.0
    tried, start, least = np.empty(n), np.empty(n), np.inf
    tried[:], start[:] = x, x
    for turn in range(ROUNDS):
        size = newton(A, d, cones, tried, goal)
        if size < least:
            least = size
            x[:] = tried
        if least <= 100.0 * goal or done >= MOST_SWEEPS:
            return least
        for _ in range(sweeps):
            if sweep(A, d, part, cones, start) <= 1e-3 * goal:
                break
        done += sweeps
        sweeps *= 2
        part = max(LEAST_PART, 0.7 * part) if turn > 0 else 1.0  # shorter ones end cycles
        tried[:] = start
    return least


@kernel
def put_by_friction(A, d, cones, x, goal):
    """Another way to the solution: friction grows from none, with which the problem is one of least squares."""
    less, y = cones.copy(), np.zeros(x.size)
    for level in range(LEVELS + 1):
        for i in range(cones.size):
            less[i].mu = cones[i].mu * level / LEVELS
        if put_shifted(A, d, less, y, goal) <= 100.0 * goal and level == LEVELS:
            x[:] = y
