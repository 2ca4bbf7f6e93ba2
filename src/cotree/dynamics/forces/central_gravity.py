"""Gravity of a body far larger than the mechanism: -mu m r / r^3 at the mass centre, towards a point of ground."""

from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort, put_scalar
from cotree.dynamics.lines import LINE, line, push, put_line
from cotree.model.force_elements import CentralGravity
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

gravity_t = np.dtype([*LINE, ("strength", "f8")], align=True)


@force_wrenches(gravity_t)
def wrenches(x, base, s, values, q, v):
    at, e, r, _ = line(x, s.work)
    f = x.strength / (r * r)
    put_effort(s, x.piece, push(at, e, -f))
    put_scalar(s, x.piece, f)


@force_energy(gravity_t)
def energy(x, base, s, values, q):
    return (-x.strength / line(x, s.work)[2],)


@force_power(gravity_t)
def power(x, base, s, values, v):
    return (0.0, 0.0)


def fill(f: CentralGravity, x: Any, build: ForceBuilder) -> None:
    put_line(f, x, build)
    x["strength"] = f.mu * f.mass


KIND = register(ForceKind(CentralGravity, gravity_t, wrenches, energy, power, fill))
