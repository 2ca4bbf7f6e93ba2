"""Drag of a medium on a body: -c |u| u at a point, u its velocity against the wind."""

from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort
from cotree.dynamics.lines import LINE, point_of
from cotree.engine.kernel import kernel
from cotree.lie.storage import vec
from cotree.lie.vec3 import cross, dot, scale, sub
from cotree.model.force_elements import Drag
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

drag_t = np.dtype([*LINE, ("coefficient", "f8"), ("wind", "f8", 3)], align=True)


@kernel
def resistance(x, work):
    """(point, its velocity, force)."""
    at, u = point_of(work, x.link_b, x.point_b)
    r = sub(u, vec(x.wind))
    return at, u, scale(-x.coefficient * np.sqrt(dot(r, r)), r)


@force_wrenches(drag_t)
def wrenches(x, base, s, values, q, v):
    at, _, F = resistance(x, s.work)
    put_effort(s, x.piece, (cross(at, F), F))


@force_energy(drag_t)
def energy(x, base, s, values, q):
    return (0.0,)


@force_power(drag_t)
def power(x, base, s, values, v):
    """The wind supplies what it drives, the medium takes the rest."""
    _, u, F = resistance(x, s.work)
    wind = vec(x.wind)
    return (dot(F, wind), -dot(F, sub(u, wind)))


def fill(f: Drag, x: Any, build: ForceBuilder) -> None:
    place = build.place
    x["link_b"], x["point_b"] = place.link(f.body), place.point(f.body, f.point)
    x["coefficient"], x["wind"] = f.coefficient, f.wind
    build.between("ground", f.body)


KIND = register(ForceKind(Drag, drag_t, wrenches, energy, power, fill))
