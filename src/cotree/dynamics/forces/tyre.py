"""A tyre on a flat road: a thin disc that is pressed onto a plane, with the brush model of its tread.

Normal force: k d (1 + c d_dot) where the lowest point of the rim is d below the road, never less than 0, at that point.
Slip: velocity u of the wheel's material at the contact point, which is where the line from the centre to the lowest point
meets the road, over the rolling speed: s = u / sqrt(rolling^2 + low^2), with rolling = (velocity of the centre) - u along the
wheel.
Brush model with the slip stiffnesses Cx, Cy and the friction limit m = mu Fz, for g = |(Cx sx, Cy sy)| / (3 m):
F = m (3 g - 3 g^2 + g^3) for g < 1, else m, against (Cx sx, Cy sy). Its lateral part acts behind the centre of the contact
by the pneumatic trail a (1 - 3 g + 3 g^2 - g^3) / (3 - 3 g + g^2), which comes down to zero at g = 1.
"""

from typing import Any, NamedTuple

import numpy as np

from cotree.dynamics.elements import put_effort, put_scalar
from cotree.dynamics.lines import LINE, point_of
from cotree.engine.kernel import kernel
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, cross, dot, scale, sub
from cotree.model.force_elements import Tyre
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

tyre_t = np.dtype(
    [
        *LINE, ("axis", "f8", 3), ("normal", "f8", 3), ("radius", "f8"), ("stiffness", "f8"), ("damping", "f8"),
        ("friction", "f8"), ("slip_x", "f8"), ("slip_y", "f8"), ("half_length", "f8"), ("low_speed", "f8"),
    ],
    align=True,
)  # fmt: skip


class Contact(NamedTuple):
    """normal, longitudinal and lateral unit vectors; the lowest point and that on the road; depth, its rate; velocities of the
    material there along and across, speed of the centre along and across; angular velocity about the normal."""

    n: Any
    l: Any
    s: Any
    lowest: Any
    at: Any
    depth: Any
    rate: Any
    slip_x: Any
    slip_y: Any
    along: Any
    across: Any
    turn: Any


class Tread(NamedTuple):
    """Forces along the wheel, across it and normal to the road, elastic part of the last, moment about the normal."""

    x: Any
    y: Any
    z: Any
    elastic: Any
    moment: Any


@kernel
def contact(x, work):
    """Where the wheel meets the road, and how it moves there."""
    road, _ = point_of(work, x.link_a, x.point_a)
    c, c_dot = point_of(work, x.link_b, x.point_b)
    w = work[x.link_b]
    e, n, (turn, v) = mul_vec(pose(w.C)[0], vec(x.axis)), vec(x.normal), twist(w.V)
    lean, height = dot(n, e), dot(sub(c, road), n)
    upright = np.sqrt(max(1.0 - lean * lean, 1e-12))  # a wheel that lies flat has no direction
    l = scale(1.0 / upright, cross(e, n))
    s = cross(n, l)
    down = scale(-1.0 / upright, sub(n, scale(lean, e)))
    at = add(c, scale(height / upright, down))
    u = add(v, cross(turn, at))
    depth = x.radius * upright - height
    rate = -dot(c_dot, n) - x.radius * lean * dot(n, cross(turn, e)) / upright
    return Contact(
        n, l, s, add(c, scale(x.radius, down)), at, depth, rate, dot(u, l), dot(u, s), dot(c_dot, l), dot(c_dot, s),
        dot(turn, n),
    )  # fmt: skip


@kernel
def slips(x, p):
    """Velocities of the tread over the rolling speed, along and across."""
    rolling = p.along - p.slip_x
    by = 1.0 / np.sqrt(rolling * rolling + x.low_speed * x.low_speed)
    return p.slip_x * by, p.slip_y * by


@kernel
def tread(x, p):
    """The forces at a contact."""
    if p.depth <= 0.0:
        return Tread(0.0, 0.0, 0.0, 0.0, 0.0)
    elastic = x.stiffness * p.depth
    z = elastic * max(0.0, 1.0 + x.damping * p.rate)
    most = x.friction * z
    sx, sy = slips(x, p)
    fx, fy = x.slip_x * sx, x.slip_y * sy
    size = np.sqrt(fx * fx + fy * fy)
    if most <= 0.0 or size <= 0.0:
        return Tread(0.0, 0.0, z, elastic, 0.0)
    g = min(size / (3.0 * most), 1.0)
    f = most * g * (3.0 - g * (3.0 - g)) / size
    trail = x.half_length * (1.0 - g * (3.0 - g * (3.0 - g))) / (3.0 - g * (3.0 - g))
    # the tread is dragged along: behind the centre where the wheel rolls forwards
    rolling = p.along - p.slip_x
    ahead = rolling / np.sqrt(rolling * rolling + x.low_speed * x.low_speed)  # its sign, without a jump at a standstill
    return Tread(-f * fx, -f * fy, z, elastic, f * fy * trail * ahead)


@force_wrenches(tyre_t)
def wrenches(x, base, s, values, q, v):
    p = contact(x, s.work)
    f = tread(x, p)
    F, N = add(scale(f.x, p.l), scale(f.y, p.s)), scale(f.z, p.n)
    moment = add(scale(f.moment, p.n), add(cross(p.at, F), cross(p.lowest, N)))
    put_effort(s, x.piece, (moment, add(F, N)))
    put_scalar(s, x.piece, f.z)


@force_energy(tyre_t)
def energy(x, base, s, values, q):
    d = max(0.0, contact(x, s.work).depth)
    return (0.5 * x.stiffness * d * d,)


@force_power(tyre_t)
def power(x, base, s, values, v):
    p = contact(x, s.work)
    f = tread(x, p)
    return (0.0, (f.z - f.elastic) * p.rate - f.x * p.slip_x - f.y * p.slip_y - f.moment * p.turn)


def fill(f: Tyre, x: Any, build: ForceBuilder) -> None:
    place = build.place
    x["link_a"], x["point_a"], x["normal"] = place.link("ground"), place.point("ground", f.road), f.normal
    x["link_b"], x["point_b"] = place.link(f.body), place.point(f.body, f.center)
    x["axis"] = place.axes(f.body) @ f.axis
    x["radius"], x["stiffness"], x["damping"] = f.radius, f.stiffness, f.damping
    x["friction"], x["slip_x"], x["slip_y"] = f.friction, f.longitudinal, f.lateral
    x["half_length"], x["low_speed"] = f.half_length, f.low_speed
    build.between("ground", f.body)


KIND = register(ForceKind(Tyre, tyre_t, wrenches, energy, power, fill))
