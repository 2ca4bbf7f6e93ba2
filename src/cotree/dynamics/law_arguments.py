"""What compiled laws of loads and of forces between points ask for, of links that have been placed and moved."""

import numpy as np

from cotree.dynamics.lines import point_of
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, cross, dot, sub


@kernel
def _numbers(x):
    out = np.empty(3)
    out[0], out[1], out[2] = x
    return out


@kernel
def load_position(tables, k, shift):
    """World position of the point that load k acts on; shift: of the sweep's origin."""
    load = tables.elements.loads[k]
    x, _ = point_of(tables.work, load.link, load.point)
    return _numbers(add(x, add(shift, vec(tables.world[0].origin))))


@kernel
def load_velocity(tables, k):
    """Velocity of that point."""
    load = tables.elements.loads[k]
    return _numbers(point_of(tables.work, load.link, load.point)[1])


@kernel
def load_omega(tables, k):
    """Angular velocity of the body of load k."""
    return _numbers(twist(tables.work[tables.elements.loads[k].link].V)[0])


@kernel
def line_length(tables, link_a, a, link_b, b):
    """Distance of a point of one link and one of another."""
    d = sub(se3.act(pose(tables.work[link_b].C), b), se3.act(pose(tables.work[link_a].C), a))
    return np.sqrt(dot(d, d))


@kernel
def line_rate(tables, link_a, a, link_b, b):
    """Rate of that distance; zero at zero distance."""
    (x, x_dot), (y, y_dot) = _point(tables.work[link_a], a), _point(tables.work[link_b], b)
    d = sub(y, x)
    length = np.sqrt(dot(d, d))
    return dot(d, sub(y_dot, x_dot)) / length if length > 0.0 else 0.0


@kernel
def _point(w, point):
    x, (turn, v) = se3.act(pose(w.C), point), twist(w.V)
    return x, add(v, cross(turn, x))
