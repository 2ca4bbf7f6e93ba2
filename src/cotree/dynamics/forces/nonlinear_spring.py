"""Spring and damper between two points, by tables."""

from typing import Any

import numpy as np

from cotree.dynamics.curves import integral, value
from cotree.dynamics.elements import put_effort, put_scalar
from cotree.dynamics.lines import LINE, line, push, put_line
from cotree.model.force_elements import NonlinearSpring
from cotree.system.curves import put_curve
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register
from cotree.system.tables import curve_t

spring_t = np.dtype([*LINE, ("length", "f8"), ("force", curve_t), ("damping", curve_t)], align=True)


@force_wrenches(spring_t)
def wrenches(x, base, s, values, q, v):
    at, e, r, rate = line(x, s.work)
    pull = value(x.force, r - x.length) + value(x.damping, rate)
    put_effort(s, x.piece, push(at, e, -pull))
    put_scalar(s, x.piece, pull)


@force_energy(spring_t)
def energy(x, base, s, values, q):
    return (integral(x.force, line(x, s.work)[2] - x.length),)


@force_power(spring_t)
def power(x, base, s, values, v):
    rate = line(x, s.work)[3]
    return (0.0, value(x.damping, rate) * rate)


def fill(f: NonlinearSpring, x: Any, build: ForceBuilder) -> None:
    assembled = put_line(f, x, build)
    x["length"] = assembled if f.length is None else f.length
    put_curve(x["force"], f.force)
    put_curve(x["damping"], f.damping)


KIND = register(ForceKind(NonlinearSpring, spring_t, wrenches, energy, power, fill))
