"""Spherical joints and free flight: the examples of [Lie 5.1] to [Lie 5.4], with the starts that the paper states.

Body frames are at the mass centres, as in the paper: absolute coordinates, on either group, are then the paper's own. The
starts are for relative coordinates. Boxes are of aluminium; lengths in metres.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.lie import pose
from cotree.model import Body, Box, Free, Mechanism, Spherical

ALUMINIUM = 2700.0
SIZE = np.array([0.2, 0.1, 0.05])  # of the bodies of 5.2 and 5.3
END = np.array([SIZE[0] / 2, 0.0, 0.0])  # from a mass centre to the next joint
NONE = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)  # quaternion of no rotation


def heavy_top() -> Mechanism:
    """Box that turns about a fixed point, without gravity, [Lie 5.1]: 21.6 kg, mass centre half a metre from the pivot.

    Starts with the angular velocity (0, 20 pi, 10 pi) rad/s, that is 13.97 kJ. The paper gives the box, and with it mass and
    inertia, diag(0.36, 0.306, 0.09) kg m^2. (Its title speaks of gravity; its results are for none.)
    """
    mech = Mechanism("heavy top", NONE)
    top = _box(mech, "top", pose(p=np.array([0.5, 0.0, 0.0])), (0.1, 0.2, 0.4))
    mech.joint("pivot", mech.ground, top, Spherical(NONE))
    mech.q_start, mech.v_start = np.array(UPRIGHT), np.pi * np.array([0.0, 20.0, 10.0])
    return mech


def spherical_double_pendulum() -> Mechanism:
    """Two boxes along x, hung up at the origin and joined by ball joints, [Lie 5.2]; gravity along -z.

    Starts with the angular velocities (10, 0, 0) and (10 pi, 10 pi, 20 pi) rad/s. The paper writes gravity without the masses;
    here it has them.
    """
    mech = Mechanism("spherical double pendulum")
    one, two = _two_boxes(mech)
    mech.joint("joint1", mech.ground, one, Spherical(NONE))
    mech.joint("joint2", one, two, Spherical(2 * END))
    w1, w2 = np.array([10.0, 0.0, 0.0]), np.pi * np.array([10.0, 10.0, 20.0])
    mech.q_start, mech.v_start = np.array([*UPRIGHT, *UPRIGHT]), np.array([*w1, *(w2 - w1)])
    return mech


def floating_bodies() -> Mechanism:
    """The two boxes of the double pendulum, floating without gravity, [Lie 5.3].

    Starts with the angular velocities (0, 0, -10) and (1, -1, 2 pi) rad/s. The paper leaves the velocities out; the common mass
    centre is taken to be at rest, so that the bodies stay where they are.
    """
    mech = Mechanism("floating bodies", NONE)
    one, two = _two_boxes(mech)
    mech.joint("free", mech.ground, one, Free())
    mech.joint("joint", one, two, Spherical(2 * END))
    w1, w2 = np.array([0.0, 0.0, -10.0]), np.array([1.0, -1.0, 2 * np.pi])
    v1 = -(np.cross(w1, END) + np.cross(w2, END)) / 2  # v2 = v1 + (w1 + w2) x END; equal masses: v1 + v2 = 0
    mech.q_start = np.array([*UPRIGHT, *END, *UPRIGHT])
    mech.v_start = np.array([*w1, *v1, *(w2 - w1)])
    return mech


def three_bar(swing: float = 5.0, spins: tuple[float, float] = (10.0, -5.0)) -> Mechanism:
    """Triangle of two bars and ground, closed by three ball joints, [Lie 5.4]; gravity along -z.

    The paper gives no data. Taken: the boxes of the double pendulum, on a base of 0.3 m along x, lying level at the start. The
    triangle swings about its base, and each bar may spin about the line between its joints, which nothing resists: 3 dof.
    Without spin it would be one rigid pendulum and the joint between the bars would not be tried, so that the bars start with
    `spins`, seen from the triangle, beside `swing` [rad/s].
    """
    mech = Mechanism("three-bar")
    left, right = np.zeros(3), np.array([0.3, 0.0, 0.0])
    top = np.array([0.15, np.sqrt(SIZE[0] ** 2 - 0.15**2), 0.0])
    frames = [_along(left, top), _along(top, right)]
    one, two = (_box(mech, name, C, SIZE) for name, C in zip(("bar1", "bar2"), frames, strict=True))
    mech.joint("joint1", mech.ground, one, Spherical(left))
    mech.joint("joint2", one, two, Spherical(top))
    mech.joint("joint3", mech.ground, two, Spherical(right))
    w = [C[:3, :3].T @ (swing, 0.0, 0.0) + (spin, 0.0, 0.0) for C, spin in zip(frames, spins, strict=True)]
    mech.q_start, mech.v_start = np.array([*UPRIGHT, *UPRIGHT]), np.concatenate(w)
    return mech


def _two_boxes(mech: Mechanism) -> tuple[Body, Body]:
    return _box(mech, "body1", pose(p=END), SIZE), _box(mech, "body2", pose(p=3 * END), SIZE)


def _box(mech: Mechanism, name: str, frame: NDArray[np.float64], size: ArrayLike) -> Body:
    """Box of aluminium about the origin of its frame."""
    return mech.body(name, pose=frame, shape=Box(NONE, size), density=ALUMINIUM)


def _along(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Frame amid two points of the plane z = 0, the first axis from one to the other, the third along z."""
    x, y, _ = (b - a) / np.linalg.norm(b - a)
    return pose(np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]]), (a + b) / 2)
