"""Joints with forces that could not act across a cut stay in the tree, whatever the regularization would like."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ForceError

Z = (0.0, 0.0, 1.0)


def pentagon(sprung, last=None):
    """Five bars in a ring; springs on some of its hinges."""
    points = [(np.cos(a), np.sin(a), 0.0) for a in 2 * np.pi * np.arange(5) / 5]
    mech = ct.Mechanism()
    for k in range(4):
        mech.body(f"b{k}", 1.0, np.mean(points[k : k + 2], axis=0), (1, 1, 1))
    for k in range(5):
        inner, outer = f"b{k - 1}" if k else "ground", f"b{k}" if k < 4 else "ground"
        mech.joint(f"j{k}", inner, outer, last if last and k == 4 else ct.Revolute(points[k], Z))
    for k in sprung:
        mech.joint_spring(f"s{k}", f"j{k}", 10.0)
    return mech


@pytest.mark.parametrize("cut", range(5))
def test_the_one_without_a_spring_is_cut(cut):
    mech = pentagon([k for k in range(5) if k != cut])
    system = mech.compile()
    assert system.cut_joints == (f"j{cut}",)
    other = pentagon([]).compile(cut=[f"j{(cut + 1) % 5}"])
    assert ct.mobility(system).differential == ct.mobility(other).differential == 2


def test_springs_all_round_are_refused_as_before():
    with pytest.raises(ForceError, match="whole turns"):
        pentagon(range(5)).compile()


def test_welds_are_not_cut_for_others():
    mech = pentagon([0, 1, 2])
    mech.body("lump", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("w", "b3", "lump", ct.Weld())
    mech.joint("j5", "lump", "ground", ct.Revolute((0.5, 0, 0), Z))
    assert set(mech.compile().cut_joints) <= {"j3", "j4", "j5"}


def test_dampers_of_balls_stay_and_others_may_be_cut():
    mech = pentagon([], ct.Spherical((np.cos(8 * np.pi / 5), np.sin(8 * np.pi / 5), 0.0)))
    for name in ("wx", "wy", "wz"):
        mech.joint_damper(name, "j4", 1.0, name)
    assert "j4" not in mech.compile().cut_joints
    plain = pentagon([])
    before = plain.compile().cut_joints
    plain.joint_damper("d", before[0], 1.0)  # can be measured across the cut
    assert plain.compile().cut_joints == before


def test_the_motion_is_that_of_a_tree_chosen_by_hand():
    mech = pentagon([0, 1, 2, 4])
    here, there = mech.compile(), mech.compile(cut=["j3"])
    assert here.cut_joints == there.cut_joints
    q = ct.assemble(there, 0.2 * np.arange(there.nq))
    np.testing.assert_allclose(
        ct.forward_dynamics(here, q, np.zeros(here.nv)).v_dot,
        ct.forward_dynamics(there, q, np.zeros(4)).v_dot,
        atol=1e-9,
    )
