"""A force element written outside the package: two points attract each other with k / r^2, and a damper acts between them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, cross, dot, scale, sub
from cotree.model.forces import ForceElement
from cotree.system.force_kinds import ForceKind, force_energy, force_power, force_wrenches, register

attraction_t = np.dtype(
    [
        ("piece", "i8"), ("link_a", "i8"), ("link_b", "i8"), ("point_a", "f8", 3), ("point_b", "f8", 3),
        ("strength", "f8"), ("damping", "f8"),
    ],
    align=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Attraction(ForceElement):
    """strength [N m^2], damping [N s/m]; points in the frames of the bodies' data."""

    name: str
    body_a: str
    point_a: Any
    body_b: str
    point_b: Any
    strength: float
    damping: float = 0.0
    word: str = "attraction"

    @property
    def bodies(self):
        return self.body_a, self.body_b


@kernel
def line(x, work):
    """(point on b, unit vector from a to b, distance, its rate)."""
    a, b = work[x.link_a], work[x.link_b]
    p, q = se3.act(pose(a.C), vec(x.point_a)), se3.act(pose(b.C), vec(x.point_b))
    d = sub(q, p)
    r = np.sqrt(dot(d, d))
    e, (wa, va), (wb, vb) = scale(1.0 / r, d), twist(a.V), twist(b.V)
    return q, e, r, dot(e, sub(add(vb, cross(wb, q)), add(va, cross(wa, p))))


@force_wrenches(attraction_t)
def wrenches(x, base, s, values, q, v):
    at, e, r, rate = line(x, s.work)
    f = scale(-x.strength / (r * r) - x.damping * rate, e)
    put_effort(s, x.piece, (cross(at, f), f))


@force_energy(attraction_t)
def energy(x, base, s, values, q):
    return (-x.strength / line(x, s.work)[2],)


@force_power(attraction_t)
def power(x, base, s, values, v):
    rate = line(x, s.work)[3]
    return (0.0, x.damping * rate * rate)


def fill(f, x, build):
    place = build.place
    x["link_a"], x["link_b"] = place.link(f.body_a), place.link(f.body_b)
    x["point_a"], x["point_b"] = place.point(f.body_a, np.array(f.point_a)), place.point(f.body_b, np.array(f.point_b))
    x["strength"], x["damping"] = f.strength, f.damping
    build.between(f.body_a, f.body_b)


KIND = register(ForceKind(Attraction, attraction_t, wrenches, energy, power, fill))
