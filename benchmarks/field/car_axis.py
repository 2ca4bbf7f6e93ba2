"""The car axis problem: constraints that depend on time, index 3.

The axle is a bar on a hinge at the origin, tilted by arcsin(r sin(w t) / L) as the road has it. The left mass slides at right
angles to it (the first constraint), the rod to the right mass has length L (the second). Both masses are points: the left one
turns with the axle, which no force resists, and the right one does not turn, so that no inertia has any say.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import cotree as ct
from benchmarks.field.problem import Known, Problem

Array = NDArray[np.float64]
EPS, M, LENGTH, RELAXED, HEIGHT, FREQUENCY, G = 0.01, 10.0, 1.0, 0.5, 0.1, 10.0, 1.0
MASS = EPS**2 * M / 2
LEFT, RIGHT, TIP = (0.0, 0.5, 0.0), (1.0, 0.5, 0.0), (LENGTH, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)
PUBLISHED = (
    0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257, -0.0770583684040972358,
    0.00744686658723778553, 0.0175568157537232222, 0.770341043779251976,
)  # fmt: skip


@njit
def tilt(t):
    return np.arcsin(HEIGHT * np.sin(FREQUENCY * t))


@njit
def tilt_rate(t):
    a, a_dot = HEIGHT * np.sin(FREQUENCY * t), HEIGHT * FREQUENCY * np.cos(FREQUENCY * t)
    return a_dot / np.sqrt(1 - a * a)


@njit
def tilt_acceleration(t):
    a, a_dot = HEIGHT * np.sin(FREQUENCY * t), HEIGHT * FREQUENCY * np.cos(FREQUENCY * t)
    return (-(FREQUENCY**2) * a + a * a_dot**2 / (1 - a * a)) / np.sqrt(1 - a * a)


def car(derivatives: bool = True) -> ct.Mechanism:
    """`derivatives`: those of the road are given; else they are found by differences."""
    mech = ct.Mechanism("car axis", (0, -G, 0))
    axle = mech.body("axle", 1.0, (0.5, 0, 0), (1, 1, 1))
    left, right = (mech.body(n, MASS, p, (1e-3,) * 3) for n, p in (("left", LEFT), ("right", RIGHT)))
    mech.joint("tilt", mech.ground, axle, ct.Revolute((0, 0, 0), Z))
    mech.joint("slide", axle, left, ct.Prismatic((0, 1, 0), point=LEFT))
    mech.joint("plane", mech.ground, right, ct.PlanarTranslation(Z))
    mech.drive("road", "tilt", tilt, **({"rate": tilt_rate, "acceleration": tilt_acceleration} if derivatives else {}))
    mech.spring("left spring", mech.ground, (0, 0, 0), left, LEFT, 1.0, RELAXED)
    mech.spring("right spring", axle, TIP, right, RIGHT, 1.0, RELAXED)
    mech.distance("rod", left, LEFT, right, RIGHT)
    return mech


def as_printed(t: Array) -> Array:
    """The four equations and two constraints as the test set prints them, the latter differentiated twice."""

    def rates(t: float, y: Array) -> Array:
        (xl, yl, xr, yr), u = y[:4], y[4:]
        b, b1 = HEIGHT * np.sin(FREQUENCY * t), HEIGHT * FREQUENCY * np.cos(FREQUENCY * t)
        b2, x = -(FREQUENCY**2) * b, np.sqrt(LENGTH**2 - b * b)
        x1 = -b * b1 / x
        x2 = -(b1 * b1 + b * b2 + x1 * x1) / x
        left, right = np.hypot(xl, yl), np.hypot(xr - x, yr - b)
        f = np.array([
            (RELAXED - left) * xl / left, (RELAXED - left) * yl / left - MASS * G,
            (RELAXED - right) * (xr - x) / right, (RELAXED - right) * (yr - b) / right - MASS * G,
        ])  # fmt: skip
        J = np.array([[x, b, 0.0, 0.0], [2 * (xl - xr), 2 * (yl - yr), -2 * (xl - xr), -2 * (yl - yr)]])
        across, up = u[0] - u[2], u[1] - u[3]
        bias = -np.array([xl * x2 + yl * b2 + 2 * (u[0] * x1 + u[1] * b1), 2 * (across**2 + up**2)])
        lam = np.linalg.solve(J @ J.T / MASS, bias - J @ f / MASS)
        return np.concatenate([u, (f + J.T @ lam) / MASS])

    start = [*LEFT[:2], *RIGHT[:2], -0.5, 0.0, -0.5, 0.0]
    found = solve_ivp(rates, (0.0, t[-1]), start, method="DOP853", t_eval=t, rtol=1e-13, atol=1e-13)
    zero = np.zeros_like(t)
    return np.stack([found.y[0], found.y[1], zero, found.y[2], found.y[3], zero], axis=1)


POINTS = (("left", LEFT), ("right", RIGHT))


def state(run: ct.Run, k: int = -1) -> Array:
    """Places and velocities in the order of the test set."""
    found = [run.point(*p) for p in POINTS]
    return np.concatenate([x[k, :2] for x in (*(f.position for f in found), *(f.velocity for f in found))])


PROBLEMS = (
    Problem(
        "car axis", "Car axis", ("Test Set for IVP Solvers, problem caraxis (S. Schneider)",),
        "constraints that depend on time, multipliers of index 3", car, 3.0, POINTS, as_printed,
        "the printed equations with constraints differentiated twice, SciPy's DOP853 at 1e-13",
        known=(Known("Test Set for IVP Solvers, caraxis: places [m] and velocities [m/s]", 3.0, PUBLISHED, state, 1e-9),),
        choices="The bodies' moments of inertia, of which the problem has none and which act on nothing.",
    ),
)  # fmt: skip
