"""One point at which two bodies may touch: what a family of pairs supplies, and the rows and friction that follow from it.

A family has a table of its own with the fields `TOUCH` and two kernels of one record x:

- geometry(x, work) returns (g, n, p): the gap [m], the unit normal from body a to body b, and the point of contact, both in the
  world; where the surfaces overlap g is negative;
- motion(x, work) returns (n_dot, p_dot), how normal and point move, over both surfaces, as the links do.

A third kernel is optional: inside(x, work), metres, negative where the points that are closest lie outside of the features
whose distance geometry measures, as beyond the end of an edge. The gap is then at least -inside, so that a feature which is not
there never touches, and `INSIDE` tells that a contact which is closed has to be left to its neighbours: their gaps agree where
one hands over to another.

From them follow the rows: the first holds the gap, rate n . (v_b(p) - v_a(p)), two more the slip along the tangents
t1 = e - (e.n) n, made a unit, and t2 = n x t1, where e is a direction that body a carries. They are exact, with eta, since
rates of point and normal are. So does friction: a force -m s at p on body b, of a size m that is given, against the direction
s of slip. Where the slip vanishes s is d, by which the phase began, and beyond it s is mirrored, so that it is smooth there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.row_wrench import force_at, force_rate, put_between, put_rate_between, velocity_at
from cotree.dynamics.elements import put_effort, put_scalar
from cotree.engine.kernel import kernel
from cotree.engine.spans import Span, span
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, axpy, cross, dot, scale, sub
from cotree.model.constraints import Constraint
from cotree.model.forces import ForceElement
from cotree.system.force_kinds import ForceKind, force_energy, force_power, force_wrenches
from cotree.system.force_kinds import register as register_force
from cotree.system.row_kinds import RowKind, row_gaps, row_rates, row_wrenches
from cotree.system.row_kinds import register as register_rows
from cotree.system.rows import RowBuilder
from cotree.system.views import open_row_sweep

Array = NDArray[np.float64]
TOUCH = [
    ("row", "i8"),
    ("piece", "i8"),
    ("index", "i8"),  # among the points that are measured together
    ("held", "i8"),  # rows in force: 1 the gap, 3 the slip too
    ("slot", "i8"),  # of the size of the friction
    ("link_a", "i8"),
    ("link_b", "i8"),
    ("e", "f8", 3),  # a direction that body a carries, in the reference assembly
    ("near_a", "f8", 3),  # centres of spheres around the two shapes, in the reference assembly
    ("near_b", "f8", 3),
    ("reach", "f8"),  # beyond this distance of the centres only they are measured; 0: never
    ("sizes", "f8"),  # sum of the radii of these spheres
    ("d", "f8", 2),  # direction of slip with which a phase begins, along the tangents
]
STATE = (
    16  # numbers that are measured of a point: gap, its rate, slip (2), normal, point, first tangent (3 each), inside
)
POINT = 7  # where the point of contact stands among them
INSIDE = 13  # where inside stands among them: negative while the feature does not face the other one
EVERYWHERE = 1e300  # of features without ends
OBLIQUE = (0.53, 0.32, 0.785)  # hardly ever along a normal
FAINT = 1e-10  # m/s: slip below this has the direction with which the phase began


@dataclass(frozen=True, eq=False)
class Touch(Constraint):
    """A point of contact between body_a, whose surface carries the tangents, and body_b, as the rows that hold it; `contact` is
    the name that the user gave, `flipped` whether the user's bodies are in the other order."""

    name: str
    contact: str
    body_a: str
    body_b: str
    flipped: bool = False
    held: int = 3
    along: tuple[float, ...] | None = None  # direction e, in the reference assembly
    index: int = 0
    near: tuple[Any, Any, float] | None = None  # centres of spheres around the shapes on a and on b, sum of their radii
    word: str = "contact"

    @property
    def rows(self) -> int:
        return self.held

    @property
    def holonomic(self) -> tuple[bool, ...]:
        return (True, False, False)[: self.held]

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body_a, self.body_b)


@dataclass(frozen=True, eq=False)
class Rub(ForceElement):
    """Friction at a point of contact that slides; its size is number `slot` of the forces, d the direction it began with."""

    name: str
    touch: Any
    slot: int
    d: tuple[float, float]
    word: str = "contact"


# -- what follows from geometry and motion ----------------------------------------------------------------------


@kernel
def tangents(x, n, work):
    """Two unit vectors across the normal."""
    e = mul_vec(pose(work[x.link_a].C)[0], vec(x.e))
    h = axpy(-dot(e, n), n, e)
    t1 = scale(1.0 / np.sqrt(dot(h, h)), h)
    return t1, cross(n, t1)


@kernel
def tangent_rates(x, n, n_dot, t1, work):
    """How they change."""
    e = mul_vec(pose(work[x.link_a].C)[0], vec(x.e))
    e_dot = cross(twist(work[x.link_a].V)[0], e)
    h = axpy(-dot(e, n), n, e)
    h_dot = axpy(-dot(e, n), n_dot, axpy(-dot(e_dot, n) - dot(e, n_dot), n, e_dot))
    t1_dot = scale(1.0 / np.sqrt(dot(h, h)), axpy(-dot(t1, h_dot), t1, h_dot))
    return t1_dot, add(cross(n_dot, t1), cross(n, t1_dot))


@kernel
def slip_velocity(x, p, work):
    """Velocity of body b against body a at a point."""
    return sub(velocity_at(twist(work[x.link_b].V), p), velocity_at(twist(work[x.link_a].V), p))


@kernel
def are_near(x, work):
    """Whether the spheres around the shapes are near each other."""
    if x.reach == 0.0:
        return True
    d = _between_centres(x, work)
    return dot(d, d) < x.reach * x.reach


@kernel
def _between_centres(x, work):
    return sub(se3.act(pose(work[x.link_b].C), vec(x.near_b)), se3.act(pose(work[x.link_a].C), vec(x.near_a)))


@kernel
def between_spheres(x, work):
    """Gap between these spheres, which is less than that between the shapes, its normal and point."""
    d = _between_centres(x, work)
    far = np.sqrt(dot(d, d))
    return far - x.sizes, scale(1.0 / far, d), se3.act(pose(work[x.link_b].C), vec(x.near_b))


@kernel
def facing(g, room):
    """A gap, or where the features do not face each other at least how far they are from that."""
    return g if room >= 0.0 else max(g, -room)


@kernel
def everywhere(x, work):
    """A feature without ends."""
    return EVERYWHERE


@kernel
def slip_direction(x, u1, u2):
    """Unit vector along the slip, mirrored where it has turned back from the direction of the phase."""
    c = min(0.0, u1 * x.d[0] + u2 * x.d[1])
    s1, s2 = u1 + (FAINT - 2.0 * c) * x.d[0], u2 + (FAINT - 2.0 * c) * x.d[1]
    size = np.sqrt(s1 * s1 + s2 * s2)
    return s1 / size, s2 / size


@dataclass(frozen=True, eq=False)
class Family:
    """A family of pairs: its rows, its friction, and `states`, a span that measures points (see STATE);
    ends: whether its features end somewhere."""

    of: type[Touch]
    rows: RowKind
    friction: ForceKind
    states: Span
    ends: bool


FAMILIES: dict[Any, Family] = {}


def has_ends(touch: Touch) -> bool:
    """Whether the point is of a feature that ends somewhere."""
    return type(touch) in FAMILIES and FAMILIES[type(touch)].ends


def register_family(
    of: type[Touch],
    table_t: np.dtype[np.void],
    geometry: Any,
    motion: Any,
    fill: Callable[[Any, Any, Any], None],
    inside: Any = everywhere,
) -> Family:
    """Rows, friction and measurements of a family; fill(c, x, place) writes what geometry and motion read."""

    def named(where: str) -> Callable[[Any], Any]:  # where processes that compile find it again
        def put_name(f: Any) -> Any:
            f.__module__, f.__qualname__ = geometry.__module__, f"FAMILY.{where}"
            return f

        return put_name

    @row_gaps(table_t)
    @named("rows.gaps")
    def gaps(x, base, s, motions, q, g):
        g[base + x.row] = facing(geometry(x, s.work)[0], inside(x, s.work))

    @row_wrenches(table_t)
    @named("rows.wrenches")
    def wrenches(x, base, s):
        _, n, p = geometry(x, s.work)
        put_between(s, base + x.piece, force_at(p, n))
        if x.held > 1:
            t1, t2 = tangents(x, n, s.work)
            put_between(s, base + x.piece + 1, force_at(p, t1))
            put_between(s, base + x.piece + 2, force_at(p, t2))
        return 0

    @row_rates(table_t)
    @named("rows.rates")
    def rates(x, base, s):
        _, n, p = geometry(x, s.work)
        n_dot, p_dot = motion(x, s.work)
        put_rate_between(s, base + x.piece, force_rate(p, n, p_dot, n_dot))
        if x.held > 1:
            t1, t2 = tangents(x, n, s.work)
            t1_dot, t2_dot = tangent_rates(x, n, n_dot, t1, s.work)
            put_rate_between(s, base + x.piece + 1, force_rate(p, t1, p_dot, t1_dot))
            put_rate_between(s, base + x.piece + 2, force_rate(p, t2, p_dot, t2_dot))

    @span(table_t, open_row_sweep, "put")
    @named("states")
    def states(x, base, s, m, a, out):
        if are_near(x, s.work):
            g, n, p = geometry(x, s.work)
            room = inside(x, s.work)
        else:
            g, n, p = between_spheres(x, s.work)
            room = EVERYWHERE
        t1, t2 = tangents(x, n, s.work)
        u, k = slip_velocity(x, p, s.work), STATE * x.index
        g = facing(g, room)
        out[k + INSIDE] = room
        out[k], out[k + 1], out[k + 2], out[k + 3] = g, dot(u, n), dot(u, t1), dot(u, t2)
        for i in range(3):
            out[k + 4 + i], out[k + 7 + i], out[k + 10 + i] = n[i], p[i], t1[i]

    @force_wrenches(table_t)
    @named("friction.wrenches")
    def rub(x, base, s, values, q, v):
        _, n, p = geometry(x, s.work)
        t1, t2 = tangents(x, n, s.work)
        u, size = slip_velocity(x, p, s.work), values[x.slot, 0]
        s1, s2 = slip_direction(x, dot(u, t1), dot(u, t2))
        put_effort(s, x.piece, force_at(p, axpy(-size * s1, t1, scale(-size * s2, t2))))
        put_scalar(s, x.piece, size)

    @force_energy(table_t)
    @named("friction.energy")
    def stored(x, base, s, values, q):
        return (0.0,)

    @force_power(table_t)
    @named("friction.power")
    def lost(x, base, s, values, v):
        _, n, p = geometry(x, s.work)
        t1, t2 = tangents(x, n, s.work)
        u = slip_velocity(x, p, s.work)
        u1, u2 = dot(u, t1), dot(u, t2)
        s1, s2 = slip_direction(x, u1, u2)
        return (0.0, values[x.slot, 0] * (s1 * u1 + s2 * u2))

    def fill_rows(c: Any, x: Any, build: RowBuilder) -> None:
        _fill(c, x, build.place)
        for _ in range(c.held):
            build.row()
            build.between(c.body_a, c.body_b)

    def fill_friction(c: Any, x: Any, build: Any) -> None:
        _fill(c.touch, x, build.place)
        x["slot"], x["d"] = c.slot, c.d
        build.between(c.touch.body_a, c.touch.body_b)

    def _fill(c: Any, x: Any, place: Any) -> None:
        x["held"], x["index"] = c.held, c.index
        x["link_a"], x["link_b"] = place.link(c.body_a), place.link(c.body_b)
        x["e"] = place.direction(c.body_a, np.array(OBLIQUE) / np.linalg.norm(OBLIQUE))
        fill(c, x, place)
        if c.along is not None:
            x["e"] = c.along
        if c.near is not None:
            x["near_a"], x["near_b"] = place.point(c.body_a, c.near[0]), place.point(c.body_b, c.near[1])
            x["sizes"], x["reach"] = c.near[2], 2.0 * c.near[2]

    rows = RowKind(of, table_t, gaps, wrenches, rates, fill_rows)
    friction = ForceKind(type(f"{of.__name__}Friction", (Rub,), {}), table_t, rub, stored, lost, fill_friction)
    FAMILIES[of] = Family(of, register_rows(rows), register_force(friction), states, inside is not everywhere)
    return FAMILIES[of]
