"""Whether the inertia behind a coordinate is more than the rounding errors of the sums that it came from."""

import numpy as np

from cotree.dynamics.inertia import load
from cotree.engine.choosing import every
from cotree.engine.kernel import kernel
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import dot

ROUNDING = 16.0 * float(np.finfo(float).eps)


@kernel
def lost_in_rounding(links, work, dof_work):
    """1 + the outermost dof whose inertia is no more than the rounding errors of the terms that it sums; else 0."""
    for i in range(links.size - 1, 0, -1):
        (a, _, _, b, _, c), _, (d, _, _, e, _, f) = load(work[i].J)  # articulated, before the joint is released
        com, p = vec(links[i].com), pose(work[i].C)[1]
        arm = ROUNDING * (dot(com, com) + dot(p, p))  # the mass centre is the sum of two vectors
        turning, sliding = a + b + c + arm * (d + e + f), d + e + f
        for j in range(links[i].iv + links[i].nv - 1, links[i].iv - 1, -1):
            w, v = twist(dof_work[j].S)
            terms = dot(w, w) * turning + dot(v, v) * sliding
            d = dof_work[j].d
            if not (every(d > 0.0) and every(d * ROUNDING * terms < 1.0)):
                return j + 1
    return 0
