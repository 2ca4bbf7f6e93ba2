"""A force between two points that a number or a law gives."""

from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort, put_scalar
from cotree.dynamics.lines import LINE, line, push, put_line
from cotree.model.force_elements import ForceBetween
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

between_t = np.dtype([*LINE, ("slot", "i8")], align=True)


@force_wrenches(between_t)
def wrenches(x, base, s, values, q, v):
    at, e, _, _ = line(x, s.work)
    put_effort(s, x.piece, push(at, e, values[x.slot, 0]))
    put_scalar(s, x.piece, values[x.slot, 0])


@force_energy(between_t)
def energy(x, base, s, values, q):
    return (0.0,)


@force_power(between_t)
def power(x, base, s, values, v):
    return (values[x.slot, 0] * line(x, s.work)[3], 0.0)


def fill(f: ForceBetween, x: Any, build: ForceBuilder) -> None:
    put_line(f, x, build)
    x["slot"] = build.slot(f.value)


KIND = register(ForceKind(ForceBetween, between_t, wrenches, energy, power, fill))
