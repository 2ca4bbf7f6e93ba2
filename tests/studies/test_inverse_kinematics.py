"""Inverse kinematics by forward kinematics: arms, loops, limits, several targets."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ReachError, ShapeError, UnknownNameError
from tests import closed_mechanisms


def arm(n=6):
    mech = ct.Mechanism("arm")
    before = mech.ground
    for k in range(n):
        p = (0.3 * k, 0.05 * (k % 2), 0.0)
        body = mech.body(f"b{k}", 1.0, (0.3 * k + 0.15, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"J{k}", before, body, ct.Revolute(p, np.eye(3)[(2, 1, 0, 1, 2, 0)[k % 6]]))
        before = body
    return mech


@pytest.mark.parametrize("seed", range(5))
def test_six_joints_reach_a_pose(seed):
    system = arm().compile()
    goal = 0.8 * np.random.default_rng(seed).normal(size=6)
    pose = ct.poses(system, goal)[system.row_of("b5")]
    found = ct.inverse_kinematics(system, {"b5": pose}, starts=30)
    assert np.abs(ct.poses(system, found.q)[system.row_of("b5")] - pose).max() < 1e-7
    assert max(found.errors) < 1e-7


def test_several_targets_and_fixed_joints():
    system = arm(9).compile()
    goal = 0.3 * np.sin(np.arange(9.0))
    now = ct.poses(system, goal)
    tip, elbow = (now[system.row_of(b)] @ np.append(p, 1.0) for b, p in (("b8", (2.7, 0, 0)), ("b4", (1.4, 0, 0))))
    wanted = [("b8", ((2.7, 0, 0), tip[:3])), ("b4", ((1.4, 0, 0), elbow[:3]))]
    start = np.zeros(9)
    start[0] = goal[0]
    found = ct.inverse_kinematics(system, wanted, start, fixed=["J0"])
    assert found.q[0] == goal[0]
    at = ct.poses(system, found.q)
    assert np.abs(at[system.row_of("b8")] @ [2.7, 0, 0, 1] - tip).max() < 1e-7
    assert np.abs(at[system.row_of("b4")] @ [1.4, 0, 0, 1] - elbow).max() < 1e-7


@pytest.mark.parametrize("choice", [{}, {"regularize": False}, {"coordinates": "absolute"}])
def test_loops_stay_closed(choice):
    """A Stewart platform is led to a pose; redundant rows and absolute coordinates make no difference."""
    mech = closed_mechanisms.stewart()
    mech = mech.mechanism() if hasattr(mech, "mechanism") else mech
    system = mech.compile(**choice)
    body = system.body_names[-1]
    rng = np.random.default_rng(2)
    goal = ct.assemble(system, ct.displace(system, system.q0, 0.05 * rng.normal(size=system.nv)))
    pose = ct.poses(system, goal)[system.row_of(body)]
    found = ct.inverse_kinematics(system, {body: pose})
    assert np.abs(ct.poses(system, found.q)[system.row_of(body)] - pose).max() < 1e-7
    assert np.abs(ct.constraint_residual(system, found.q)).max() < 1e-10


def test_limits_are_kept():
    mech = ct.Mechanism("two links")
    a, b = (mech.body(n, 1.0, (k + 0.5, 0, 0), (0.1, 0.1, 0.1)) for k, n in enumerate("ab"))
    mech.joint("A", mech.ground, a, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("B", a, b, ct.Revolute((1, 0, 0), (0, 0, 1)))
    tip = {"b": ((2.0, 0, 0), (1.0, 1.0, 0.0))}
    up, down = (ct.inverse_kinematics(mech, tip, [0.3, sign]).q for sign in (1.0, -1.0))
    assert np.allclose(up, [0.0, np.pi / 2], atol=1e-7)
    assert np.allclose(down, [np.pi / 2, -np.pi / 2], atol=1e-7)
    mech.limit("B", lower=-2.0, upper=0.5, name="stop")
    found = ct.inverse_kinematics(mech, tip, [0.3, 0.4], starts=20)
    assert np.allclose(np.exp(1j * found.q), np.exp(1j * down), atol=1e-7)
    with pytest.raises(ReachError, match="target of body 'b' was not reached"):
        ct.inverse_kinematics(mech, {"b": ((2.0, 0, 0), (0.0, 2.5, 0.0))})


def test_errors():
    system = arm().compile()
    with pytest.raises(UnknownNameError, match="'hand'"):
        ct.inverse_kinematics(system, {"hand": np.eye(4)})
    with pytest.raises(ShapeError, match="target of body 'b5': give a pose"):
        ct.inverse_kinematics(system, {"b5": (1.0, 2.0)})
    with pytest.raises(ShapeError, match="targets: none are given"):
        ct.inverse_kinematics(system, {})
    with pytest.raises(ShapeError, match="t is 'x'"):
        ct.inverse_kinematics(system, {"b5": np.eye(4)}, t="x")
    with pytest.raises(ShapeError, match="targets: give a dict"):
        ct.inverse_kinematics(system, 3.0)
    for wrong in ("b5", [("b5",)], 3):
        with pytest.raises(ShapeError, match="targets: give a dict"):
            ct.inverse_kinematics(arm(), wrong)
    mech = ct.gallery.four_bar()
    mech.limit("A", lower=-0.1, upper=0.1)
    mech.limit("D", lower=2.0, upper=2.5)
    with pytest.raises(ReachError, match="cannot all be closed from this start"):
        ct.inverse_kinematics(mech, {"crank": np.eye(4)})


def test_a_stretched_arm_bends():
    """Pulled along itself it has no direction to go; a start that is as near as can be has."""
    mech = ct.gallery.pendulum_chain(2)
    point = np.array([0.0, -2.0, 0.0])
    found = ct.inverse_kinematics(mech, {"link2": (point, (0.0, -1.5, 0.0))}, q=[0.0, 0.0])
    bend = 2.0 * np.arccos(0.75)
    assert abs(abs(found.q[1]) - bend) < 1e-9
    there = ct.poses(mech.compile(), found.q)[2] @ [*point, 1.0]
    assert np.abs(there[:3] - (0.0, -1.5, 0.0)).max() < 1e-9
