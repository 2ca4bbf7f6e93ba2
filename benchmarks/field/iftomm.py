"""Problems of the IFToMM library of computational benchmarks (rigid bodies): A01, A02, A04, A05 and the spatial slider-crank.

A03, Andrews' mechanism, has a file of its own. Data by M. González and others, Multibody System Dynamics 16 (2006), and by the
pages of the library.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import cotree as ct
from benchmarks.field.newton_euler import watched_by_newton_euler
from benchmarks.field.problem import Problem

Array = NDArray[np.float64]
LIBRARY = "IFToMM library of computational benchmark problems, González et al., Multibody Syst. Dyn. 16 (2006) 333"
OPENSIM = "statement as in RehabEngGroup/MBSbenchmarksInOpenSim, help/benchmarks"
G = 9.81
Z = (0.0, 0.0, 1.0)


def pendulum() -> ct.Mechanism:
    """A01: a point mass on a massless bar, level at the start."""
    mech = ct.Mechanism("A01 simple pendulum", (0, -G, 0))
    mass = mech.body("mass", 1.0, (-1, 0, 0), (0, 0, 0), shape=ct.Rod((0, 0, 0), (-1, 0, 0)))
    mech.joint("pivot", mech.ground, mass, ct.Revolute((0, 0, 0), Z))
    return mech


def pendulum_motion(t: Array) -> Array:
    """sin(phi / 2) = -sin(pi / 4) cd(sqrt(g) t | 1 / 2), phi from the vertical."""
    _, cn, dn, _ = ellipj(np.sqrt(G) * t, 0.5)
    phi = 2 * np.arcsin(-np.sqrt(0.5) * cn / dn)
    return np.stack([np.sin(phi), -np.cos(phi), np.zeros_like(t)], axis=1)


def ladder(n: int) -> ct.Mechanism:
    """A02: windows of four bars, cranks upright, B0 at 1 m/s towards +x."""
    mech = ct.gallery.n_four_bar(n)
    mech.name = f"A02 {n} four-bars"
    return mech


def ladder_tip(n: int, t: Array) -> Array:
    """The tip of the first crank by the one equation of motion that all cranks share."""
    inertia, weight = (n + 1) / 3 + n, G * ((n + 1) / 2 + n)
    found = solve_ivp(
        lambda _, y: [y[1], -weight * np.cos(y[0]) / inertia], (0.0, t[-1]), [np.pi / 2, -1.0], t_eval=t, method="DOP853",
        rtol=1e-13, atol=1e-13,
    )  # fmt: skip
    angle = found.y[0]
    return np.stack([np.cos(angle), np.sin(angle), np.zeros_like(t)], axis=1)


def bricard() -> ct.Mechanism:
    """A04: five rods of square section along edges of a unit cube, hinged to each other and at both ends to the ground."""
    mech = ct.Mechanism("A04 Bricard", (0, -G, 0))
    points = [np.array(p, dtype=float) for p in ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))]
    x, y, z = np.eye(3)
    axes = (y, z, x, y, z, x)
    bodies = []
    for k in range(5):
        a, b = points[k], points[k + 1]
        e = b - a
        inertia = np.eye(3) * (1.0 + 0.01) / 12 + np.outer(e, e) * (0.02 - 1.01) / 12  # 1 m, 0.1 m by 0.1 m, 1 kg
        bodies.append(mech.body(f"rod {k + 1}", 1.0, (a + b) / 2, inertia, shape=ct.Rod(a, b)))
    ends = [mech.ground, *bodies, mech.ground]
    for k in range(6):
        mech.joint(f"P{k}", ends[k], ends[k + 1], ct.Revolute(points[k], axes[k]))
    return mech


SIDE, ROD, SECTION, SLIDER, DENSITY, BALL = 0.05, 1.0, 0.01, 0.1, 3000.0, 5.0
STIFFNESS, DAMPING, RELAXED, DROOP, SPIN = 8e5, 4e4, 0.5, np.pi / 6, 2 * np.pi
ROD_MASS, SLIDER_MASS = DENSITY * SECTION**2 * ROD, DENSITY * SLIDER**3
ACROSS, ALONG = ROD_MASS * (ROD**2 + SECTION**2) / 12, ROD_MASS * SECTION**2 / 6
SHAFT_INERTIA, SLIDER_INERTIA = ROD_MASS * SECTION**2 / 6, SLIDER_MASS * SLIDER**2 / 6


def governor() -> ct.Mechanism:
    """A05: two rods with a ball each hang from a spinning shaft, stiff springs and dampers hold a slider on it."""
    mech = ct.Mechanism("A05 flyball governor", (0, 0, -G))
    shaft = mech.body(
        "shaft", ROD_MASS, (0, 0, 0.5), (ACROSS, ACROSS, SHAFT_INERTIA), shape=ct.Rod((0, 0, 0), (0, 0, 1))
    )
    box = ct.Box((0, 0, 0.5), (SLIDER,) * 3)
    slider = mech.body("slider", SLIDER_MASS, (0, 0, 0.5), (SLIDER_INERTIA,) * 3, shape=box)
    mech.joint("spin", mech.ground, shaft, ct.Revolute((0, 0, 0), Z))
    mech.joint("slide", shaft, slider, ct.Prismatic(axis=Z, point=(0, 0, 0.5)))
    for name, side in (("A", 1.0), ("B", -1.0)):
        top = np.array([side * SIDE, 0.0, 1.0])
        e = np.array([side * np.cos(DROOP), 0.0, -np.sin(DROOP)])
        mass = ROD_MASS + BALL
        c = (ROD_MASS * 0.5 + BALL) / mass  # along the rod
        about = np.eye(3) - np.outer(e, e)
        inertia = ACROSS * about + ALONG * np.outer(e, e)
        inertia += (ROD_MASS * (c - 0.5) ** 2 + BALL * (1 - c) ** 2) * about
        rod = mech.body(f"rod {name}", mass, top + c * e, inertia, shape=ct.Rod(top, top + e))
        mech.joint(name, shaft, rod, ct.Revolute(top, (0, 1, 0)))
        ends = (rod, top + 0.5 * e), (slider, (side * SLIDER / 2, 0.0, 0.5))
        mech.spring(f"coupler {name}", *ends[0], *ends[1], STIFFNESS, RELAXED, DAMPING)
    return mech


def governor_motion(t: Array) -> Array:
    """Slider and ball A by three equations of Lagrange: angle of the shaft, droop of the rods, height of the slider."""

    def spinning(b: float) -> tuple[float, float]:
        """Inertia about the shaft, and its derivative by the droop."""
        c, s = np.cos(b), np.sin(b)
        total = ALONG * s * s + ACROSS * c * c + ROD_MASS * (SIDE + c / 2) ** 2 + BALL * (SIDE + c) ** 2
        slope = 2 * (ALONG - ACROSS) * s * c - ROD_MASS * (SIDE + c / 2) * s - 2 * BALL * (SIDE + c) * s
        return SHAFT_INERTIA + SLIDER_INERTIA + 2 * total, 2 * slope

    spin = spinning(DROOP)[0] * SPIN  # angular momentum, conserved
    swing = 2 * (ACROSS + ROD_MASS / 4 + BALL)

    def rates(_: float, y: Array) -> list[float]:
        _, b, s, b_dot, s_dot = y
        inertia, slope = spinning(b)
        turn = spin / inertia
        # the slider's corner and the shaft's pivot have the same distance from the axis
        x, h = np.cos(b) / 2, 1 - np.sin(b) / 2 - s
        length = np.hypot(x, h)
        by_b, by_s = (-x * np.sin(b) / 2 - h * np.cos(b) / 2) / length, -h / length
        pull = 2 * (STIFFNESS * (length - RELAXED) + DAMPING * (by_b * b_dot + by_s * s_dot))
        weight = -2 * G * (ROD_MASS / 2 + BALL) * np.cos(b)
        b_ddot = (0.5 * slope * turn**2 - weight - pull * by_b) / swing
        return [turn, b_dot, s_dot, b_ddot, -G - pull * by_s / SLIDER_MASS]

    found = solve_ivp(
        rates, (0.0, t[-1]), [0.0, DROOP, 0.5, 0.0, 0.0], method="Radau", t_eval=t, rtol=1e-12, atol=1e-13
    )  # fmt: skip
    angle, b, s = found.y[:3]
    radius = SIDE + np.cos(b)
    zero = np.zeros_like(t)
    return np.stack([zero, zero, s, radius * np.cos(angle), radius * np.sin(angle), 1 - np.sin(b)], axis=1)


CRANK, REACH, A = 0.08, 0.3, np.array([0.0, 0.1, 0.12])
B = A + CRANK * np.array(Z)
C = np.array([np.sqrt(REACH**2 - 0.1**2 - 0.2**2), 0.0, 0.0])


def slider_crank() -> ct.Mechanism:
    """Spatial slider-crank of Haug (1989): crank about x, slider along x, a rod with a ball and a universal joint."""
    mech = ct.Mechanism("spatial slider-crank", (0, 0, -G))
    crank = mech.body("crank", 0.12, (A + B) / 2, (1e-4, 1e-4, 1e-5), shape=ct.Rod(A, B))
    e = (C - B) / REACH
    inertia = 4e-3 * (np.eye(3) - np.outer(e, e)) + 4e-4 * np.outer(e, e)
    rod = mech.body("rod", 0.5, (B + C) / 2, inertia, shape=ct.Rod(B, C))
    slider = mech.body("slider", 2.0, C, (1e-4,) * 3, shape=ct.Box(C, (0.04, 0.02, 0.02)))
    mech.joint("A", mech.ground, crank, ct.Revolute(A, (1, 0, 0)))
    mech.joint("B", crank, rod, ct.Spherical(B))
    y = np.array([0.0, 1.0, 0.0])
    mech.joint("C", slider, rod, ct.Universal(C, y, np.cross(e, y)))
    mech.joint("slide", mech.ground, slider, ct.Prismatic(axis=(1, 0, 0), point=C))
    return mech


TIP, P3 = ("crank0", (0.0, 1.0, 0.0)), ("rod 3", (1.0, -1.0, 1.0))
ENDS = (("slider", (0.0, 0.0, 0.5)), ("rod A", (SIDE + np.cos(DROOP), 0.0, 1 - np.sin(DROOP))))
CORNER = ("slider", tuple(C))
TWO_WAYS = "Newton's and Euler's equations in absolute coordinates, SciPy's DOP853 at 1e-12"

PROBLEMS = (
    Problem(
        "A01", "Simple pendulum", (LIBRARY, OPENSIM), "the simplest problem; energy", pendulum, 10.0,
        (("mass", (-1.0, 0.0, 0.0)),), pendulum_motion, "Jacobi's elliptic functions",
        coordinates="relative",  # a point mass has no inertia that absolute coordinates could divide by
    ),
    *(
        Problem(
            "A02" if n == 2 else f"A02-{n}", f"{n} four-bars", (LIBRARY, OPENSIM),
            "singular configurations, in which the tangent space has dimension N + 1", lambda n=n: ladder(n), 10.0, (TIP,),
            lambda t, n=n: ladder_tip(n, t), "one equation for the common angle of the cranks, DOP853 at 1e-13",
            v={"A0": -1.0}, coordinates="absolute" if n == 2 else "relative",
        )
        for n in (2, 40)
    ),
    Problem(
        "A04", "Bricard's mechanism", (LIBRARY, OPENSIM), "redundant constraints that no choice of loops removes", bricard,
        10.0, (P3,), lambda t: watched_by_newton_euler(bricard(), (P3,), None, t[-1], t), TWO_WAYS,
    ),
    Problem(
        "A05", "Stiff flyball governor", (LIBRARY, OPENSIM, "geometry also in Exudyn's stiffFlyballGovernor.py"),
        "stiffness: springs and dampers with rates of about 1e5 1/s", governor, 10.0, ENDS, governor_motion,
        "three equations of Lagrange, SciPy's Radau at 1e-12", v={"spin": SPIN}, stiff=True,
        choices="Pivots 0.05 m beside the axis of the shaft, as in Exudyn's model: the springs are then relaxed at the start.",
    ),
    Problem(
        "slider-crank", "Spatial rigid slider-crank",
        ("E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems (1989), 12.2", "IFToMM library"),
        "a spatial loop with a ball and a universal joint", slider_crank, 5.0, (CORNER,),
        lambda t: watched_by_newton_euler(slider_crank(), (CORNER,), {"A": 6.0}, t[-1], t), TWO_WAYS, v={"A": 6.0},
        choices="Axes of the universal joint: y of the slider, and the normal of y and the rod on the rod.",
    ),
)  # fmt: skip
