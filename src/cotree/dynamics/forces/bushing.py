"""Bushing: stiffness and damping of all six relative motions of two frames that coincide as assembled.

With R = exp(phi) the rotation of b seen from a, and d the displacement of its point, in a's axes: energy x K x / 2 of
x = (phi, d). The moment is dexp(phi)^-T times the derivative by phi; the damper acts on (omega, d_dot).
"""

from typing import Any

import numpy as np

from cotree.dynamics.elements import put_effort
from cotree.dynamics.lines import LINE, point_of
from cotree.engine.kernel import kernel
from cotree.lie import se3, so3
from cotree.lie.mat3 import mul, mul_vec, tmul_vec, transpose
from cotree.lie.storage import pose, twist
from cotree.lie.vec3 import add, cross, neg, sub
from cotree.model.force_elements import Bushing
from cotree.system.force_kinds import ForceBuilder, ForceKind, force_energy, force_power, force_wrenches, register

bushing_t = np.dtype([*LINE, ("axes", "f8", 9), ("stiffness", "f8", (6, 6)), ("damping", "f8", (6, 6))], align=True)


@kernel
def product(A, x):
    """A x of six numbers, as two threes."""
    y = (x[0][0], x[0][1], x[0][2], x[1][0], x[1][1], x[1][2])
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(6):
        a, b, c = a + A[0, k] * y[k], b + A[1, k] * y[k], c + A[2, k] * y[k]
        d, e, f = d + A[3, k] * y[k], e + A[4, k] * y[k], f + A[5, k] * y[k]
    return (a, b, c), (d, e, f)


@kernel
def relative(x, work):
    """(axes of a, point on b, (phi, d), (omega, d_dot)) in the axes of a."""
    a, b = work[x.link_a], work[x.link_b]
    E = (x.axes[0], x.axes[1], x.axes[2], x.axes[3], x.axes[4], x.axes[5], x.axes[6], x.axes[7], x.axes[8])
    A, B = mul(pose(a.C)[0], E), mul(pose(b.C)[0], E)
    p, _ = point_of(work, x.link_a, x.point_a)
    y, y_dot = point_of(work, x.link_b, x.point_b)
    (w, v), u = twist(a.V), twist(b.V)[0]
    rate = sub(y_dot, add(v, cross(w, y)))  # seen from a
    return (
        A,
        y,
        (so3.log(mul(transpose(A), B)), tmul_vec(A, sub(y, p))),
        (tmul_vec(A, sub(u, w)), tmul_vec(A, rate)),
    )


@force_wrenches(bushing_t)
def wrenches(x, base, s, values, q, v):
    A, y, place, rate = relative(x, s.work)
    f, g = product(x.stiffness, place), product(x.damping, rate)
    moment = add(so3.dexp_spatial_inv(neg(place[0]), f[0]), g[0])  # the transpose is that of -phi
    M, F = neg(mul_vec(A, moment)), neg(mul_vec(A, add(f[1], g[1])))
    put_effort(s, x.piece, (add(M, cross(y, F)), F))


@force_energy(bushing_t)
def energy(x, base, s, values, q):
    place = relative(x, s.work)[2]
    return (0.5 * se3.pair(place, product(x.stiffness, place)),)


@force_power(bushing_t)
def power(x, base, s, values, v):
    rate = relative(x, s.work)[3]
    return (0.0, se3.pair(rate, product(x.damping, rate)))


def fill(f: Bushing, x: Any, build: ForceBuilder) -> None:
    place = build.place
    at = place.point("ground", f.point)
    x["link_a"], x["link_b"], x["point_a"], x["point_b"] = place.link(f.body_a), place.link(f.body_b), at, at
    x["axes"], x["stiffness"], x["damping"] = f.axes.ravel(), f.stiffness, f.damping
    build.between(f.body_a, f.body_b)


KIND = register(ForceKind(Bushing, bushing_t, wrenches, energy, power, fill))
