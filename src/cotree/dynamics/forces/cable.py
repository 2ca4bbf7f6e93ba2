"""Cable through points of bodies, as over small pulleys without friction: one pull all along, never a push."""

from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort, put_scalar
from cotree.dynamics.lines import point_of, push
from cotree.engine.kernel import kernel
from cotree.lie.vec3 import dot, scale, sub
from cotree.model.force_elements import MOST_POINTS, Cable
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

cable_t = np.dtype(
    [
        ("piece", "i8"), ("n", "i8"), ("links", "i8", MOST_POINTS), ("points", "f8", (MOST_POINTS, 3)),
        ("stiffness", "f8"), ("length", "f8"), ("damping", "f8"),
    ],
    align=True,
)  # fmt: skip


@kernel
def span_of(x, work, k):
    """(point k + 1, unit vector towards it, length, rate) of a straight stretch."""
    p, p_dot = point_of(work, x.links[k], x.points[k])
    y, y_dot = point_of(work, x.links[k + 1], x.points[k + 1])
    d = sub(y, p)
    r = np.sqrt(dot(d, d))
    e = scale(1.0 / r, d) if r > 0.0 else (0.0, 0.0, 0.0)
    return y, e, r, dot(e, sub(y_dot, p_dot))


@kernel
def stretched(x, work):
    """(elongation, its rate)."""
    length, rate = -x.length, 0.0
    for k in range(x.n - 1):
        _, _, r, u = span_of(x, work, k)
        length, rate = length + r, rate + u
    return length, rate


@kernel
def pull(x, work):
    """(pull, elongation, its rate); a slack cable has none."""
    d, rate = stretched(x, work)
    if d <= 0.0:
        return 0.0, 0.0, rate
    return x.stiffness * d * max(0.0, 1.0 + x.damping * rate), d, rate


@force_wrenches(cable_t)
def wrenches(x, base, s, values, q, v):
    f, _, _ = pull(x, s.work)
    for k in range(x.n - 1):
        at, e, _, _ = span_of(x, s.work, k)
        put_effort(s, x.piece + k, push(at, e, -f))
        put_scalar(s, x.piece + k, f)


@force_energy(cable_t)
def energy(x, base, s, values, q):
    d = max(0.0, stretched(x, s.work)[0])
    return (0.5 * x.stiffness * d * d,)


@force_power(cable_t)
def power(x, base, s, values, v):
    f, d, rate = pull(x, s.work)
    return (0.0, (f - x.stiffness * d) * rate)


def fill(f: Cable, x: Any, build: ForceBuilder) -> None:
    place, n = build.place, len(f.route)
    points = np.array([place.point(body, np.array(point)) for body, point in f.route])
    x["n"], x["links"][:n], x["points"][:n] = n, [place.link(body) for body, _ in f.route], points
    assembled = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    x["stiffness"], x["length"], x["damping"] = f.stiffness, assembled if f.length is None else f.length, f.damping
    for (a, _), (b, _) in zip(f.route[:-1], f.route[1:], strict=True):
        build.between(a, b)


KIND = register(ForceKind(Cable, cable_t, wrenches, energy, power, fill))
