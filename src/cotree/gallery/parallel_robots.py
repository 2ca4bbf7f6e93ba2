"""Closed mechanisms with several dofs, whose joints can be locked one after another. Metres, kilograms, radians.

None of them has a start: they are drawn in a posture far from singular ones, and fall from rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model import Cylinder, Mechanism, Prismatic, Revolute, Rod, Spherical, Universal

Array = NDArray[np.float64]
Z = np.array([0.0, 0.0, 1.0])
DEGREE = np.pi / 180.0
ALUMINIUM = 2700.0
PALM_ARCS = (70.0, 40.0, 50.0, 55.0, 45.0)  # degrees, from A2 to A1 (ground), then A1 B1, B1 C, C B2, B2 A2
PALM_RADIUS = 0.05


def five_bar() -> Mechanism:
    """Planar five-bar, 5R with 2 dof: joints A1, B1, C, B2, A2 from ground round to ground; gravity along -y.

    Locked at A1 or A2 it is a four-bar, locked at both a structure. Chosen: base 0.5 m, cranks 0.4 m, rods 0.6 m, which never
    all lie along one line; drawn a little askew, cranks at 115 and 50 degrees, so that the links make angles of 93 to 101
    degrees at B1, C and B2: far from where a locked one would be singular.
    """
    A1, A2 = np.array([-0.25, 0.0, 0.0]), np.array([0.25, 0.0, 0.0])
    B1, B2 = A1 + 0.4 * _direction(115.0), A2 + 0.4 * _direction(50.0)
    middle, half = (B1 + B2) / 2, (B2 - B1) / 2
    up = np.cross(Z, half) / np.linalg.norm(half)
    C = middle + np.sqrt(0.6**2 - half @ half) * up
    return _five_revolutes("five-bar", [(p, Z) for p in (A1, B1, C, B2, A2)], (0.0, -9.81, 0.0), radius=0.015)


def spherical_five_bar() -> Mechanism:
    """Spherical five-bar, 5R with all axes through the origin, 2 dof: the palm of a metamorphic hand [VTM 8].

    Joints A1, B1, C, B2, A2, as of the planar one; locked at one of them it is a spherical four-bar. Neither the paper nor what
    we found of Dai's hand gives the palm's angles. Chosen: arcs of 40, 50, 55 and 45 degrees over a base of 70, on a sphere of
    5 cm; no sum of them with any signs closes in a plane, so that the five axes never lie in one and no posture is singular.
    Drawn as a convex pentagon with angles of 110 to 149 degrees. The bodies are bars of 3 mm radius along the chords.
    """
    base, crank1, rod1, rod2, crank2 = (a * DEGREE for a in PALM_ARCS)
    a1, a2 = np.array([1.0, 0.0, 0.0]), np.array([np.cos(base), np.sin(base), 0.0])
    b1, b2 = _arc(a1, a2, crank1, 120.0 * DEGREE), _arc(a2, a1, crank2, -110.0 * DEGREE)
    c = _meeting(b1, b2, np.cos(rod1), np.cos(rod2))
    joints = [(PALM_RADIUS * e, e) for e in (a1, b1, c, b2, a2)]
    return _five_revolutes("spherical five-bar", joints, (0.0, 0.0, -9.81), radius=0.003)


def stewart() -> Mechanism:
    """Gough-Stewart platform, 6-UPS with 6 dof: legs of a universal joint, a slide and a ball; gravity along -z.

    Joints base1, leg1, ball1 to base6, leg6, ball6: locking the slides one after another takes a dof each. Chosen: pairs of
    feet on a circle of 1.5 m, of balls on a platform of 0.8 m, 1.2 m above; all of aluminium, tubes taken as solid bars.
    """
    mech = Mechanism("Stewart platform")
    platform = mech.body("platform", shape=Cylinder(1.2 * Z, 1.25 * Z, 0.8), density=ALUMINIUM / 5)
    for k, (A, B) in enumerate(stewart_legs(), 1):
        e = (B - A) / np.linalg.norm(B - A)
        middle, side = (A + B) / 2, np.cross(Z, e)
        lower = mech.body(f"lower{k}", shape=Cylinder(A, middle + 0.1 * e, 0.03), density=ALUMINIUM)
        upper = mech.body(f"upper{k}", shape=Cylinder(middle - 0.1 * e, B, 0.02), density=ALUMINIUM)
        mech.joint(f"base{k}", mech.ground, lower, Universal(A, side, np.cross(e, side)))
        mech.joint(f"leg{k}", lower, upper, Prismatic(e, point=middle))
        mech.joint(f"ball{k}", upper, platform, Spherical(B))
    return mech


def stewart_legs() -> list[tuple[Array, Array]]:
    """(foot, ball) of each leg of the Stewart platform: pairs, each leg leaning over to the next pair."""
    legs = []
    for k in range(6):
        foot, ball = 120.0 * (k // 2) + (-1) ** k * 17.0, 120.0 * ((k + 1) // 2) + (-1) ** k * 14.0 - 57.0
        legs.append((1.5 * _direction(foot), 0.8 * _direction(ball) + 1.2 * Z))
    return legs


def _five_revolutes(name: str, joints: Sequence[tuple[Any, Any]], gravity: Any, radius: float) -> Mechanism:
    """Two arms from ground, crank and rod each, joined at C; joints (point, axis) in the order A1, B1, C, B2, A2."""
    A1, B1, C, B2, A2 = joints
    mech = Mechanism(name, gravity)
    for k, (A, B) in enumerate(((A1, B1), (A2, B2)), 1):
        crank = mech.body(f"crank{k}", shape=Rod(A[0], B[0], radius), density=ALUMINIUM)
        rod = mech.body(f"rod{k}", shape=Rod(B[0], C[0], radius), density=ALUMINIUM)
        mech.joint(f"A{k}", mech.ground, crank, Revolute(*A))
        mech.joint(f"B{k}", crank, rod, Revolute(*B))
    mech.joint("C", "rod1", "rod2", Revolute(*C))
    return mech


def _direction(degrees: float) -> Array:
    return np.array([np.cos(degrees * DEGREE), np.sin(degrees * DEGREE), 0.0])


def _arc(start: Array, other: Array, length: float, angle: float) -> Array:
    """Unit vector at an arc's length from `start`, the arc turned out of the plane towards `other` by an angle."""
    across = np.cross(start, other) / np.linalg.norm(np.cross(start, other))
    along = np.cross(across, start)
    sideways = np.cos(angle) * along + np.sin(angle) * np.cross(start, along)
    return np.cos(length) * start + np.sin(length) * sideways


def _meeting(a: Array, b: Array, ca: float, cb: float) -> Array:
    """Unit vector u with u.a = ca, u.b = cb, on the side of a x b."""
    cos, n = float(a @ b), np.cross(a, b)
    x, y = np.linalg.solve(np.array([[1.0, cos], [cos, 1.0]]), np.array([ca, cb]))
    in_plane = x * a + y * b
    return in_plane + np.sqrt(1.0 - in_plane @ in_plane) * n / np.linalg.norm(n)
