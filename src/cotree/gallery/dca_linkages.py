"""Linkages of equal bars, the examples of [DCA 4.1] and [DCA 4.2]: length 1 m, mass 1 kg, inertia 1 kg m^2; gravity along -y.

The paper gives no positions and its figures are lost; what is chosen is said with each. All start from rest. Bodies b1, b2, b3
from the first hinge of ground, O1, round to the second, O3; joints q1, q2, q3 and q4, which leads back to ground.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cotree.model import Mechanism, Revolute, Rod

Array = NDArray[np.float64]
Z = (0.0, 0.0, 1.0)
BARS = {"b1": "O1 A", "b2": "A B", "b3": "B O3"}
JOINTS = {"q1": "ground b1 O1", "q2": "b1 b2 A", "q3": "b2 b3 B", "q4": "ground b3 O3"}


def dca_four_bar(base: float = 1.0, angle: float = 0.8) -> Mechanism:
    """Four-bar of [DCA 4.1] on hinges `base` [m] apart, its first bar at an angle [rad] from straight down, 1 dof.

    With 1 m all sides are equal, as "all bodies have length 1" suggests: a rhombus, which has singular configurations. With
    1.8 m nothing is parallel and nothing singular.
    """
    return _linkage(f"four-bar of unit bars, base {base:g} m", _upper(base, angle), BARS, JOINTS)


def seven_bar(base: float = 1.0, angle: float = 0.6, lower: float = -0.3) -> Mechanism:
    """Seven-bar of [DCA 4.1, Figure 4], two coupled loops, 2 dof: bars b4, b5, b6 form a rhombus with b2.

    Angles [rad] from straight down, of b1 and of b4.
    """
    points = _upper(base, angle)
    points.update(C=points["A"] + _polar(lower), D=points["B"] + _polar(lower))
    bars = BARS | {"b4": "A C", "b5": "C D", "b6": "D B"}
    joints = JOINTS | {"q5": "b2 b4 A", "q6": "b4 b5 C", "q7": "b5 b6 D", "q8": "b2 b6 B"}
    return _linkage(f"seven-bar of unit bars, base {base:g} m", points, bars, joints)


def folding_four_bar(angle: float = 0.7) -> Mechanism:
    """Four-bar of [DCA 4.2, Figure 5a]: all bars hang in one line, one upon the other, whenever it passes angle = 0 [rad].

    The hinges of ground are one above the other, 1 m apart, so that there the upper bar can stay while the others swing as one
    about the lower hinge, which is what the paper says of it.
    """
    O1, O3 = np.zeros(2), np.array([0.0, -1.0])
    points = {"O1": O1, "A": O1 + _polar(angle), "B": O3 + _polar(angle), "O3": O3}
    return _linkage("folding four-bar", points, BARS, JOINTS)


def toggle_four_bar(angle: float = -0.7) -> Mechanism:
    """Four-bar of [DCA 4.2, Figure 5b]: b3 and b2 hang stretched at angle = 0 [rad], and hold the crank b1 level there."""
    O3, O1 = np.zeros(2), np.array([-1.0, -2.0])
    P = O3 + _polar(angle)
    A = np.array([0.0, -2.0]) if angle == 0.0 else _meeting(O1, P)
    return _linkage("toggle four-bar", {"O1": O1, "A": A, "B": P, "O3": O3}, BARS, JOINTS)


def _linkage(name: str, points: Mapping[str, Array], bars: Mapping[str, str], joints: Mapping[str, str]) -> Mechanism:
    """Mechanism of unit bars: bars {name: "P Q"}, joints {name: "body body P"}, points in the plane."""
    mech = Mechanism(name, (0.0, -9.81, 0.0))
    at = {k: np.array([*p, 0.0]) for k, p in points.items()}
    for body, ends in bars.items():
        a, b = (at[p] for p in ends.split())
        mech.body(body, 1.0, (a + b) / 2, (1.0, 1.0, 1.0), shape=Rod(a, b), inertia_about="com")
    for joint, words in joints.items():
        parent, child, p = words.split()
        mech.joint(joint, parent, child, Revolute(at[p], Z))
    return mech


def _polar(angle: float) -> Array:
    """Unit vector at an angle from straight down."""
    return np.array([np.sin(angle), -np.cos(angle)])


def _meeting(a: Array, b: Array) -> Array:
    """Where unit bars from a and b meet, right of the way from a to b."""
    d = b - a
    normal = np.array([d[1], -d[0]]) / np.linalg.norm(d)
    return (a + b) / 2 + np.sqrt(1 - d @ d / 4) * normal


def _upper(base: float, angle: float) -> dict[str, Array]:
    """Points of bars b1, b2, b3 on hinges `base` apart."""
    O1, O3 = np.zeros(2), np.array([base, 0.0])
    A = O1 + _polar(angle)
    B = A + (O3 - O1) if base == 1.0 else _meeting(A, O3)
    return {"O1": O1, "A": A, "B": B, "O3": O3}
