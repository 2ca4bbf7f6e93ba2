"""Points and directions that the two bodies of a contact carry, and how they move."""

import numpy as np

from cotree.constraints.row_wrench import velocity_at
from cotree.engine.kernel import kernel
from cotree.judge import TINY
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist
from cotree.lie.vec3 import axpy, cross, dot, scale


@kernel
def on_a(x, work, point):
    """A point of body a, given in the reference assembly."""
    return se3.act(pose(work[x.link_a].C), point)


@kernel
def on_b(x, work, point):
    return se3.act(pose(work[x.link_b].C), point)


@kernel
def along_a(x, work, e):
    """A direction of body a, given in the reference assembly."""
    return mul_vec(pose(work[x.link_a].C)[0], e)


@kernel
def along_b(x, work, e):
    return mul_vec(pose(work[x.link_b].C)[0], e)


@kernel
def speed_a(x, work, p):
    """Velocity of the point of body a that is at p."""
    return velocity_at(twist(work[x.link_a].V), p)


@kernel
def speed_b(x, work, p):
    return velocity_at(twist(work[x.link_b].V), p)


@kernel
def turning_a(x, work, e):
    """Rate of a direction that body a carries."""
    return cross(twist(work[x.link_a].V)[0], e)


@kernel
def turning_b(x, work, e):
    return cross(twist(work[x.link_b].V)[0], e)


@kernel
def size(w):
    return np.sqrt(dot(w, w))


@kernel
def unit_or(w, d, e):
    """w / d; e where d is nothing."""
    if d < TINY:
        return e
    return scale(1.0 / d, w)


@kernel
def unit_rate(u, w_dot, d):
    """Rate of the unit vector u along a vector of length d; none where that has no direction."""
    return scale(1.0 / d if d > TINY else 0.0 * d, axpy(-dot(u, w_dot), u, w_dot))
