"""Sets of joints of known motion group, and ways to move, resize and perturb them.

A joint is (axis, point, pitch); infinite pitch is a translation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from cotree.lie import exp_so3
from cotree.screws import Kind, Scale, normalise, screw

X, Y, Z, O = (1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0), (0, 0, 0)
SLIDE = np.inf


class Joints(NamedTuple):
    axes: np.ndarray
    points: np.ndarray
    pitches: np.ndarray
    mass_centre: np.ndarray = np.array([0.3, 0.4, 0.1])

    @property
    def screws(self) -> np.ndarray:
        """World-frame unit screws, (6, k)."""
        columns = [screw(e, p, h) for e, p, h in zip(*self[:3], strict=True)]
        return np.array(columns).reshape(-1, 6).T

    @property
    def scale(self) -> Scale:
        """By the points that a model knows."""
        return normalise(self.screws, [*self.points, self.mass_centre])

    @property
    def scaled(self) -> np.ndarray:
        return self.scale.apply(self.screws)


def joints(*triples) -> Joints:
    axes, points, pitches = zip(*triples, strict=True) if triples else ((), (), ())
    return Joints(*(np.array(x, float).reshape(-1, 3) for x in (axes, points)), np.array(pitches, float))


def revolutes(axes, points) -> Joints:
    return joints(*((e, p, 0.0) for e, p in zip(axes, points, strict=True)))


def meeting(point, *axes, reach=1.0) -> Joints:
    """Revolute joints whose axes meet in a point, each joint `reach` away from it."""
    return revolutes(axes, [np.array(point) + reach * np.array(e) / np.linalg.norm(e) for e in axes])


def _dh(theta, a, alpha):
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, 0], [0, 0, 0, 1]])


def bennett(theta=0.8, alpha=0.6, beta=1.1) -> Joints:
    """Closed: sin(alpha)/a = sin(beta)/b, tan(t1/2) tan(t2/2) = sin((beta+alpha)/2)/sin((beta-alpha)/2)."""
    a, b = np.sin(alpha), np.sin(beta)
    other = 2 * np.arctan(np.sin((alpha + beta) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    C, axes, points = np.eye(4), [], []
    for t, link, twist in ((theta, a, alpha), (other, b, beta), (-theta, a, alpha), (-other, b, beta)):
        axes.append(C[:3, 2])
        points.append(C[:3, 3])
        C = C @ _dh(t, link, twist)
    np.testing.assert_allclose(C, np.eye(4), atol=1e-12)
    return revolutes(axes, points)


FOUR_BAR = revolutes([Z] * 4, [O, (0.6, 0.8, 0), (2.4, 1.4, 0.5), (2.5, 0, 0)])
CENTRE = (0.3, -0.2, 0.5)

# kind of the closure, axis or None, joints
SETS = [
    (Kind.WELD, None, joints()),
    (Kind.PRISMATIC, Z, joints((Z, O, SLIDE))),
    (Kind.PRISMATIC, Z, joints((Z, O, SLIDE), ((0, 0, -2.0), X, SLIDE))),
    (Kind.REVOLUTE, Z, joints((Z, X, 0))),
    (Kind.REVOLUTE, Z, joints((Z, X, 0), ((0, 0, -1.0), (1.0, 0, 1.0), 0))),
    (Kind.HELICAL, Z, joints((Z, X, 0.3))),
    (Kind.HELICAL, Z, joints((Z, X, 0.3), (Z, (1.0, 0, 1.0), 0.3))),
    (Kind.PLANAR_TRANSLATION, Z, joints((X, O, SLIDE), ((1.0, 0.2, 0), X, SLIDE))),
    (Kind.CYLINDRICAL, Z, joints((Z, X, 0), (Z, X, SLIDE))),
    (Kind.CYLINDRICAL, Z, joints((Z, X, 0.3), (Z, X, -0.2))),
    (Kind.CYLINDRICAL, Z, joints((Z, X, 0.3), (Z, (1.0, 0, 1.0), 0))),
    (Kind.TRANSLATION, None, joints((X, O, SLIDE), (Y, X, SLIDE), ((1.0, 1.0, 0.3), Y, SLIDE))),
    (Kind.PLANAR, Z, FOUR_BAR),
    (Kind.PLANAR, Z, joints((Z, O, 0), (Z, X, 0))),
    (Kind.PLANAR, Z, joints((Z, O, 0), (X, Y, SLIDE))),
    (Kind.HELICAL_PLANAR, Z, joints((Z, O, 0.3), (Z, X, 0.3))),
    (Kind.HELICAL_PLANAR, Z, joints((Z, O, -0.3), (X, Y, SLIDE))),
    (Kind.SPHERICAL, None, meeting(CENTRE, X, (0, 1.0, 0.5))),
    (Kind.SPHERICAL, None, meeting(CENTRE, X, (0.8, 0.6, 0.15), (0.35, 0.9, 0.7), (0, 1, -0.2))),
    (Kind.SCHOENFLIES, Z, joints((Z, O, 0), ((1.0, 0, 1.0), X, SLIDE))),
    (Kind.SCHOENFLIES, Z, joints((Z, O, 0.3), (Z, X, 0.1))),
    (Kind.SCHOENFLIES, Z, joints((Z, O, 0), (Z, X, 0), (Z, (2.0, 0, 0), 0), (Z, (2.0, 0, 0), SLIDE))),
    (Kind.FREE, None, joints((Z, O, 0), ((1.0, 0.5, 0.5), Y, 0))),
    (Kind.FREE, None, joints((X, O, 0.3), (Y, Y, 0))),
    (Kind.FREE, None, joints((X, O, 0), (Y, Y, 0), (Z, Z, SLIDE))),
    (Kind.FREE, None, bennett()),
]
IDS = [f"{kind.name}-{i}" for i, (kind, _, _) in enumerate(SETS)]


class Placement(NamedTuple):
    """Turn, resize by `size`, move to `position`."""

    turn: np.ndarray
    size: float
    position: np.ndarray

    def move(self, points) -> np.ndarray:
        return self.position + self.size * np.asarray(points, float) @ self.turn.T


def placed(set_: Joints, at: Placement, noise: float = 0.0, seed: int = 0) -> Joints:
    """The joints elsewhere, axes and points and pitches off by `noise` of the size."""
    rng = np.random.default_rng(seed)
    e, p, h, centre = set_
    e = e + noise * rng.uniform(-1, 1, e.shape) * np.linalg.norm(e, axis=1, keepdims=True)
    p = p + noise * rng.uniform(-1, 1, p.shape)
    h = h + noise * rng.uniform(-1, 1, h.shape)
    return Joints(e @ at.turn.T, at.move(p), at.size * h, at.move(centre))


HERE = Placement(np.eye(3), 1.0, np.zeros(3))


@st.composite
def placements(draw):
    turn = draw(st.tuples(*[st.floats(-3.0, 3.0)] * 3))
    position = draw(st.tuples(*[st.floats(-1e3, 1e3)] * 3))
    return Placement(exp_so3(turn), 10.0 ** draw(st.floats(-3.0, 3.0)), np.array(position))


seeds = st.integers(0, 2**32 - 1)
