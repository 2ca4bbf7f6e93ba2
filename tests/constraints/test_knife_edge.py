"""Knife edge, and the Chaplygin sleigh on it."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import acceleration, check_rows, random_state, same_in_absolute, two_joints

# Chaplygin sleigh (Neimark and Fufaev; Bloch, Nonholonomic Mechanics and Control): v' = a w^2, (I + m a^2) w' = -m a v w.
# Figures of the closed form, mass centre a ahead of the edge: t, v, omega, theta, x, y
M, I, AHEAD = 1.0, 0.5, 0.25
SLEIGH = np.array([
    [0, 0.4, 1.5, 0.0, 0.0, 0.0],
    [1, 0.8429378669944446, 1.1274992997381268, 1.3265748355082805, 0.4282096696501855, 0.41895217731668477],
    [2, 1.0596106241238514, 0.7337578471207717, 2.2504985672930475, 0.18056816299326675, 1.3186062010409156],
    [4, 1.1770693054878578, 0.2671091331799526, 3.181802150787526, -1.8888747830631496, 2.049319363529019],
])  # fmt: skip


def sleigh():
    mech = ct.Mechanism("sleigh", gravity=(0, 0, -9.81))
    mech.body("sleigh", M, (AHEAD, 0, 0), (1.0, 1.0, I))
    mech.joint("table", "ground", "sleigh", ct.Planar())
    mech.knife_edge("edge", "sleigh", (0, 0, 0), (0, 2, 0))
    return mech


def test_rows_against_differences():
    mech = two_joints()
    mech.knife_edge("edge", "b1", (1, 0.5, 0), (1, 2, -1))
    for kinds in ({}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"}):
        system = mech.compile(**kinds)
        q, v = random_state(system, 5)
        check_rows(system, q, v, rows=[-1])
        assert ct.constraint_residual(system, q)[-1] == 0.0


def test_row_is_the_velocity_of_the_point():
    mech = two_joints()
    point, direction = np.array([1, 0.5, 0]), np.array([1, 2, -1]) / np.sqrt(6)
    mech.knife_edge("edge", "b1", point, direction)
    system = mech.compile()
    q, v = random_state(system, 6)
    C, V = ct.poses(system, q)[2], ct.twists(system, q, v)[2]
    velocity = C[:3, :3] @ (V[3:] + np.cross(V[:3], point))
    expected = (C[:3, :3] @ direction) @ velocity
    assert ct.constraint_jacobian(system, q)[0] @ v == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("row", range(4))
def test_right_hand_side_of_the_chaplygin_sleigh(row):
    _, v, w, theta, x, y = SLEIGH[row]
    system = sleigh().compile()
    a = acceleration(system, [theta, x, y], [w, v, 0.0])
    assert a == pytest.approx([-M * AHEAD * v * w / (I + M * AHEAD**2), AHEAD * w**2, 0.0], rel=1e-12, abs=1e-13)
    same_in_absolute(sleigh(), np.array([theta, x, y]), np.array([w, v, 0.0]))


def test_motion_of_the_chaplygin_sleigh():
    system, h = sleigh().compile(), 0.01
    x = np.array([0.0, 0.0, 0.0, SLEIGH[0, 2], SLEIGH[0, 1], 0.0])

    def rate(x):
        return np.concatenate([ct.theory.coordinate_rates(system, x[:3], x[3:]), acceleration(system, x[:3], x[3:])])

    for step in range(1, 201):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3))
        if step in (100, 200):
            _, v, w, theta, px, py = SLEIGH[step // 100]
            assert x == pytest.approx([theta, px, py, w, v, 0.0], abs=1e-8)


def test_mobility_counts_the_row():
    report = ct.mobility(sleigh())
    assert (report.differential, report.local, report.non_holonomic, report.singular) == (2, 2, 1, False)
    assert "1 non-holonomic constraint equation" in str(report)
