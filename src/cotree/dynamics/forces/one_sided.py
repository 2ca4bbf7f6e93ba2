"""Ropes, which only pull, and bump stops, which only push: f = k x^p (1 + d dx/dt) where x is positive, never less than 0."""

from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort, put_scalar
from cotree.dynamics.lines import LINE, line, push, put_line
from cotree.engine.kernel import kernel
from cotree.model.force_elements import OneSided
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

one_sided_t = np.dtype(
    [*LINE, ("length", "f8"), ("sign", "f8"), ("stiffness", "f8"), ("exponent", "f8"), ("damping", "f8")], align=True
)


@kernel
def load(x, r, rate):
    """(force, elastic force): of a rope its pull, of a stop its push."""
    d = x.sign * (r - x.length)
    if d <= 0.0:
        return 0.0, 0.0
    elastic = x.stiffness * d**x.exponent
    return elastic * max(0.0, 1.0 + x.damping * x.sign * rate), elastic


@force_wrenches(one_sided_t)
def wrenches(x, base, s, values, q, v):
    at, e, r, rate = line(x, s.work)
    f, _ = load(x, r, rate)
    put_effort(s, x.piece, push(at, e, -x.sign * f))
    put_scalar(s, x.piece, f)


@force_energy(one_sided_t)
def energy(x, base, s, values, q):
    d = max(0.0, x.sign * (line(x, s.work)[2] - x.length))
    return (x.stiffness * d ** (x.exponent + 1.0) / (x.exponent + 1.0),)


@force_power(one_sided_t)
def power(x, base, s, values, v):
    _, _, r, rate = line(x, s.work)
    f, elastic = load(x, r, rate)
    return (0.0, (f - elastic) * x.sign * rate)


def fill(f: OneSided, x: Any, build: ForceBuilder) -> None:
    assembled = put_line(f, x, build)
    x["length"], x["sign"] = assembled if f.length is None else f.length, f.sign
    x["stiffness"], x["exponent"], x["damping"] = f.stiffness, f.exponent, f.damping


KIND = register(ForceKind(OneSided, one_sided_t, wrenches, energy, power, fill))
