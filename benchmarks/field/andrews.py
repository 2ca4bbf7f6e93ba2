"""A03: Andrews' squeezing mechanism, seven bodies in the plane, three loops, a motor and a spring.

Data, start and solution of the Test Set for IVP Solvers (F. Mazzia, C. Magherini); E. Hairer, G. Wanner, Solving Ordinary
Differential Equations II, VII.7. Angles as there: beta, theta, gamma, phi, delta, Omega, epsilon.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import cotree as ct
from benchmarks.field.newton_euler import watched_by_newton_euler
from benchmarks.field.problem import Known, Problem

Array = NDArray[np.float64]
Z = (0.0, 0.0, 1.0)
A, B, C = np.array([-0.06934, -0.00227, 0.0]), np.array([-0.03635, 0.03273, 0.0]), np.array([0.014, 0.072, 0.0])
START = (
    -0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885,
    1.23054744454982119,
)  # fmt: skip
ANGLES = (  # at 0.03 s, PSIDE with tolerances of 1e-14
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
    1.048080741042263,
)  # fmt: skip
RATES = (
    1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808, -19.29337464421385,
    0.3231791658026955,
)  # fmt: skip
JOINTS = ("O", "F", "B", "G", "A1", "H", "A2")  # whose angles these are, in this order
TORQUE, STIFFNESS, RELAXED = 0.033, 4530.0, 0.07785


def along(angle: float) -> Array:
    return np.array([np.cos(angle), np.sin(angle), 0.0])


def squeezer() -> ct.Mechanism:
    beta, theta, gamma, phi, delta, omega, epsilon = START
    right = -np.pi / 2
    F = 0.007 * along(beta)
    E = F - 0.028 * along(beta + theta)
    H, G = A + 0.04 * along(epsilon + right), A + 0.04 * along(delta)
    D = B + 0.02 * along(gamma) + 0.018 * along(gamma + right)
    mech = ct.Mechanism("A03 Andrews' squeezing mechanism", (0, 0, 0))

    def body(name: str, mass: float, com: Array, inertia: float, *ends: Array) -> ct.Body:
        shapes = [ct.Rod(a, b, radius=5e-4) for a, b in pairwise(ends)]
        return mech.body(name, mass, com, (inertia,) * 3, shape=shapes)

    K1 = body("K1", 0.04325, 0.00092 * along(beta), 2.194e-6, np.zeros(3), F)
    K2 = body("K2", 0.00365, F - 0.0115 * along(beta + theta), 4.41e-7, F, E)
    K3 = body("K3", 0.02373, B + 0.01874 * along(gamma + right) + 0.01043 * along(gamma), 5.255e-6, B, D, E, B)
    K4 = body("K4", 0.00706, G + (0.02 - 0.01421) * along(phi + delta + right), 5.667e-7, G, E)
    K5 = body("K5", 0.0705, A + 0.02308 * along(delta) + 0.00916 * along(delta - right), 1.169e-5, A, G)
    K6 = body("K6", 0.00706, H + (0.02 - 0.01421) * along(omega + epsilon), 5.667e-7, H, E)
    K7 = body(
        "K7", 0.05498, A + 0.01228 * along(epsilon + right) + 0.00449 * along(epsilon + 2 * right), 1.912e-5, A, H
    )
    for name, parent, child, point in (
        ("O", mech.ground, K1, np.zeros(3)), ("F", K1, K2, F), ("B", mech.ground, K3, B), ("A1", mech.ground, K5, A),
        ("G", K5, K4, G), ("A2", mech.ground, K7, A), ("H", K7, K6, H), ("E3", K2, K3, E), ("E4", K2, K4, E),
        ("E6", K2, K6, E),
    ):  # fmt: skip
        mech.joint(name, parent, child, ct.Revolute(point, Z))
    mech.motor("motor", "O", TORQUE)
    mech.spring("spring", mech.ground, C, K3, D, STIFFNESS, RELAXED)
    return mech


def angles(run: ct.Run) -> Array:
    k = np.searchsorted(run.t, 0.03)
    return np.array([run.joint(j).angle[k] for j in JOINTS]) + START


def rates(run: ct.Run) -> Array:
    k = np.searchsorted(run.t, 0.03)
    return np.array([run.joint(j).rate[k] for j in JOINTS])


SET = "Test Set for IVP Solvers, problem andrews; PSIDE with tolerances of 1e-14"
TIP = ("K1", tuple(0.007 * along(START[0])))
POINTS = (TIP, ("K2", tuple(0.007 * along(START[0]) - 0.028 * along(START[0] + START[1]))))
PROBLEMS = (
    Problem(
        "A03", "Andrews' squeezing mechanism",
        ("Test Set for IVP Solvers, problem andrews", "Hairer and Wanner, Solving ODEs II, VII.7", "IFToMM library, A03"),
        "small time scale, three coupled loops", squeezer, 0.05, POINTS,
        lambda t: watched_by_newton_euler(squeezer(), POINTS, None, t[-1], t),
        "Newton's and Euler's equations in absolute coordinates, SciPy's DOP853 at 1e-12",
        known=(
            Known(f"{SET}: angles [rad]", 0.03, ANGLES, angles, 1e-8),
            Known(f"{SET}: rates [rad/s]", 0.03, RATES, rates, 1e-5),
        ),
        choices="The library runs it to 0.05 s, the test set to 0.03 s; the former is done, and compared at the latter.",
    ),
)  # fmt: skip
