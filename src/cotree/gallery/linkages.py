"""Linkages with loops: the classics. Each function returns a fresh Mechanism; lengths in metres, masses in kilograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cotree.model import Box, Mechanism, Prismatic, Revolute, Rod

Z = (0.0, 0.0, 1.0)
DOWN = (0.0, -9.81, 0.0)


def closed_chain(name: str, joints: Sequence[tuple[Any, Any]], gravity: Any, density: float = 2700.0) -> Mechanism:
    """Single loop of revolutes, (point, axis) each, with a round bar between neighbours; the last joint leads to ground."""
    mech = Mechanism(name, gravity)
    above = mech.ground
    for k, (point, axis) in enumerate(joints[:-1]):
        body = mech.body(f"link{k + 1}", shape=Rod(point, joints[k + 1][0]), density=density)
        mech.joint(f"J{k + 1}", above, body, Revolute(point, axis))
        above = body
    mech.joint(f"J{len(joints)}", mech.ground, above, Revolute(*joints[-1]))
    return mech


def four_bar() -> Mechanism:
    """Planar four-bar of the README."""
    mech = Mechanism("four-bar", DOWN)
    A, B, C, D = (0.0, 0.0, 0.0), (0.6, 0.8, 0.0), (2.4, 1.4, 0.0), (2.5, 0.0, 0.0)
    crank = mech.body("crank", 1, (0.3, 0.4, 0), (0.1, 0.1, 0.1), shape=Rod(A, B))
    coupler = mech.body("coupler", 2, (1.5, 1.1, 0), (0.6, 0.6, 0.6), shape=Rod(B, C))
    rocker = mech.body("rocker", 1, (2.45, 0.7, 0), (0.2, 0.2, 0.2), shape=Rod(C, D))
    mech.joint("A", mech.ground, crank, Revolute(A, Z))
    mech.joint("B", crank, coupler, Revolute(B, Z))
    mech.joint("C", coupler, rocker, Revolute(C, Z))
    mech.joint("D", mech.ground, rocker, Revolute(D, Z))
    return mech


def n_four_bar(n: int = 2, angle: float = np.pi / 2, gravity: Any = DOWN) -> Mechanism:
    """N coupled four-bars: n + 1 parallel cranks and n couplers, all of length 1 and mass 1 (IFToMM benchmark library).

    Uniform slender bars. Singular whenever the cranks lie along the couplers. With angle = pi/2 the cranks stand upright.
    Starts with the tips of the cranks at 1 m/s, in the sense of growing angles.
    """
    mech = Mechanism(f"{n} four-bars", gravity)
    tip = np.array([np.cos(angle), np.sin(angle), 0.0])
    inertia = np.eye(3) / 12.0
    x = np.array([1.0, 0.0, 0.0])
    cranks = []
    for k in range(n + 1):
        cranks.append(mech.body(f"crank{k}", 1.0, k * x + tip / 2, inertia, shape=Rod(k * x, k * x + tip)))
        mech.joint(f"A{k}", mech.ground, cranks[k], Revolute(k * x, Z))
    for k in range(n):
        a, b = k * x + tip, (k + 1) * x + tip
        coupler = mech.body(f"coupler{k}", 1.0, (a + b) / 2, inertia, shape=Rod(a, b))
        mech.joint(f"B{k}", cranks[k], coupler, Revolute(a, Z))
        mech.joint(f"C{k}", coupler, cranks[k + 1], Revolute(b, Z))
    mech.q_start = np.zeros(2 * n + 1)
    mech.v_start = np.array([*n * (1.0, -1.0), 1.0])  # crank and coupler in turn, each behind its crank; the C are cut
    return mech


def parallelogram(angle: float = 0.6, gravity: Any = (0.0, 0.0, 0.0)) -> Mechanism:
    """Planar parallelogram: cranks 1 m, coupler 2 m; flat and singular for angle = 0."""
    mech = Mechanism("parallelogram", gravity)
    tip, base = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([2.0, 0.0, 0.0])
    left = mech.body("left", 1.0, tip / 2, (0.1, 0.1, 0.1), shape=Rod((0, 0, 0), tip))
    coupler = mech.body("coupler", 1.0, tip + base / 2, (0.1, 0.1, 0.1), shape=Rod(tip, tip + base))
    right = mech.body("right", 1.0, base + tip / 2, (0.1, 0.1, 0.1), shape=Rod(base, base + tip))
    mech.joint("A", mech.ground, left, Revolute((0, 0, 0), Z))
    mech.joint("B", left, coupler, Revolute(tip, Z))
    mech.joint("C", coupler, right, Revolute(tip + base, Z))
    mech.joint("D", mech.ground, right, Revolute(base, Z))
    return mech


def double_parallelogram() -> Mechanism:
    """Three parallel cranks under one coupler [Reg Figure 3]: mobile only because the cranks are of equal length."""
    mech = Mechanism("double parallelogram", DOWN)
    coupler = mech.body("coupler", shape=Rod((0.3, 0.9, 0), (2.3, 0.9, 0)), density=2700.0)
    for k in range(3):
        a, b = (float(k), 0.0, 0.0), (k + 0.3, 0.9, 0.0)
        crank = mech.body(f"crank{k}", shape=Rod(a, b), density=2700.0)
        mech.joint(f"A{k}", mech.ground, crank, Revolute(a, Z))
        mech.joint(f"B{k}", crank, coupler, Revolute(b, Z))
    return mech


def spherical_four_bar(arcs: Sequence[float] = (0.0, 0.5, 1.4, 2.0)) -> Mechanism:
    """Four revolutes whose axes meet in the origin, joints at unit distance; `arcs` place the axes around a tilted cone."""
    axes = [np.array([np.cos(a), np.sin(a), 0.2 + 0.4 * np.sin(3 * a)]) for a in arcs]
    axes = [a / np.linalg.norm(a) for a in axes]
    return closed_chain("spherical four-bar", [(a, a) for a in axes], DOWN)


def bennett(a: float = 1.0, b: float = 1.5, alpha: float = 0.6, theta: float = 1.0) -> Mechanism:
    """Bennett's linkage: opposite sides equal, sin(alpha)/a = sin(beta)/b; `theta` is the first joint angle.

    Mobile only because of its dimensions (paradoxical).
    """
    return closed_chain("Bennett", bennett_axes(a, b, alpha, theta), DOWN)


def bennett_axes(a: float = 1.0, b: float = 1.5, alpha: float = 0.6, theta: float = 1.0) -> list[tuple[Any, Any]]:
    """(point, axis) of each joint of Bennett's linkage."""
    beta = np.arcsin(b * np.sin(alpha) / a)
    half = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2)
    theta2 = 2 * np.arctan(half)
    C, joints = np.eye(4), []
    for angle, twist, length in ((theta, alpha, a), (theta2, beta, b), (-theta, alpha, a), (-theta2, beta, b)):
        joints.append((C[:3, 3].copy(), C[:3, 2].copy()))
        C = C @ _denavit_hartenberg(angle, twist, length)
    return joints


def _denavit_hartenberg(theta: float, alpha: float, a: float) -> np.ndarray:
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, 0], [0, 0, 0, 1.0]])


def bricard() -> Mechanism:
    """Bricard's 6R linkage along six edges of a unit cube, each axis normal to its two edges (paradoxical)."""
    return closed_chain("Bricard 6R", bricard_axes(), DOWN)


def bricard_axes() -> list[tuple[Any, Any]]:
    """(point, axis) of each joint of Bricard's linkage."""
    P = [np.array(p, dtype=float) for p in ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1))]
    axes = [np.cross(P[i] - P[i - 1], P[(i + 1) % 6] - P[i]) for i in range(6)]
    return list(zip(P, axes, strict=True))


def sarrus() -> Mechanism:
    """Sarrus' linkage: two pairs of hinged plates lead a plate straight up."""
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    joints = [((1, 0, 0), y), ((1.5, 0, 0.5), y), ((1, 0, 1), y), ((0, 1, 1), x), ((0, 1.5, 0.5), x), ((0, 1, 0), x)]
    return closed_chain("Sarrus", joints, (0.0, 0.0, -9.81))


def three_prrr() -> Mechanism:
    """3-PRRR translational manipulator [Reg 7.2]: three orthogonal legs of a slide and three parallel revolutes each.

    The paper gives no dimensions; legs of about a metre are chosen.
    """
    mech = Mechanism("3-PRRR")
    platform = mech.body("platform", 1.0, (0, 0, 0), (0.05, 0.05, 0.05), shape=Box((0, 0, 0), (0.6, 0.6, 0.6)))
    for i in range(3):
        e, f, g = np.eye(3)[i], np.eye(3)[(i + 1) % 3], np.eye(3)[(i + 2) % 3]
        points = [-1.2 * f, -1.2 * f + 0.3 * g, -0.6 * f + 0.5 * g, -0.3 * f]
        above = mech.ground
        for k in range(3):
            a, b = points[k], points[k + 1]
            link = mech.body(
                f"leg{i}{k}", 0.5, (a + b) / 2, (0.02, 0.02, 0.02), shape=Rod(a, b, 0.03), inertia_about="com"
            )
            mech.joint(f"J{i}{k}", above, link, Prismatic(e) if k == 0 else Revolute(points[k], e))
            above = link
        mech.joint(f"J{i}3", above, platform, Revolute(points[3], e))
    return mech
