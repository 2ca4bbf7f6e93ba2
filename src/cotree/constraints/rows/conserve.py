"""Momentum along a fixed direction n: sum over the links of Y . J_k V_k, that is of wrenches J_k Y on the links.

Y is the unit translation along n, or the unit rotation about n through the common mass centre c. Rows are divided by the mass,
or by the moment of inertia in the reference assembly, so that they are velocities.
"""

from typing import Any

import numpy as np

from cotree.constraints.row_wrench import put_between, put_rate_between
from cotree.dynamics import inertia
from cotree.dynamics.energy_momentum import link_inertia
from cotree.engine.kernel import kernel
from cotree.errors import ConstraintError
from cotree.lie import se3
from cotree.lie.storage import twist, vec
from cotree.lie.vec3 import add, cross, scale
from cotree.model.constraints import LINEAR, Conserve, Motion
from cotree.system.row_kinds import RowKind, register, row_gaps, row_rates, row_wrenches
from cotree.system.rows import RowBuilder

ZERO = (0.0, 0.0, 0.0)

conserve_t = np.dtype(
    [
        ("row", "i8"),
        ("piece", "i8"),
        ("count", "i8"),  # of pieces, one a link
        ("linear", "i8"),
        ("factor", "f8"),
        ("axis", "f8", 3),
    ],
    align=True,
)


@kernel
def mass_centre(x, base, s):
    """(c, v): common mass centre and its velocity."""
    mass, h, p = 0.0, ZERO, ZERO
    for i in range(base + x.piece, base + x.piece + x.count):
        link = s.pieces[i].link_b
        J = link_inertia(s.links[link], s.work[link])
        mass += J[0]
        h = add(h, J[1])
        p = add(p, inertia.momentum(J, twist(s.work[link].V))[1])
    return scale(1.0 / mass, h), scale(1.0 / mass, p)


@kernel
def directions(x, base, s):
    """(Y, dY/dt), times the factor."""
    n = scale(x.factor, vec(x.axis))
    if x.linear:
        return (ZERO, n), (ZERO, ZERO)
    c, v = mass_centre(x, base, s)
    return (n, cross(c, n)), (ZERO, cross(v, n))


@row_gaps(conserve_t)
def put_gaps(x, base, s, motions, q, g):
    """It holds velocities only."""


@row_wrenches(conserve_t)
def put_wrenches(x, base, s):
    Y, _ = directions(x, base, s)
    for i in range(base + x.piece, base + x.piece + x.count):
        link = s.pieces[i].link_b
        put_between(s, i, inertia.momentum(link_inertia(s.links[link], s.work[link]), Y))
    return 0


@row_rates(conserve_t)
def put_rates(x, base, s):
    """d(J Y)/dt = V x* (J Y) - J [V, Y] + J dY/dt of each link."""
    Y, Y_dot = directions(x, base, s)
    for i in range(base + x.piece, base + x.piece + x.count):
        link = s.pieces[i].link_b
        J, V = link_inertia(s.links[link], s.work[link]), twist(s.work[link].V)
        turned = se3.cobracket(V, inertia.momentum(J, Y))
        put_rate_between(s, i, se3.plus(turned, inertia.momentum(J, se3.minus(Y_dot, se3.bracket(V, Y)))))


def fill(c: Conserve, x: Any, build: RowBuilder) -> None:
    place, seen = build.place, {0}
    scale_of = _scale(c, build)
    x["linear"], x["axis"], x["factor"] = c.quantity == LINEAR, c.axis, 1.0 / scale_of
    build.row(Motion(0.0, speed=c.value / scale_of))
    for name in build.mech.bodies:
        link = int(place.link(name))
        if link not in seen:
            seen.add(link)
            build.between("ground", name)
            x["count"] += 1


def _scale(c: Conserve, build: RowBuilder) -> float:
    """Mass of what moves, or its moment of inertia about the axis through the mass centre in the reference assembly."""
    place = build.place
    moving = [b for name, b in build.mech.bodies.items() if place.link(name) != 0]
    data = [b.properties.moved(place.frames[place.rows[b.name]]) for b in moving]
    mass = sum(p.mass for p in data)
    if not mass > 0.0:
        raise ConstraintError(f"{c.word} {c.name!r}: no body that moves has a mass")
    if c.quantity == LINEAR:
        return mass
    middle = sum((p.mass * p.com for p in data), np.zeros(3)) / mass
    arms = [np.cross(c.axis, p.com - middle) for p in data]
    own = sum(float(c.axis @ p.inertia @ c.axis) + p.mass * float(d @ d) for p, d in zip(data, arms, strict=True))
    if not own > 0.0:
        raise ConstraintError(f"{c.word} {c.name!r}: the bodies have no moment of inertia about the axis")
    return own


register(RowKind(Conserve, conserve_t, put_gaps, put_wrenches, put_rates, fill))
