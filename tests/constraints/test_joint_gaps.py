"""Entries that vanish where a joint is closed: Geo Table 1 and Remark 4."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError
from tests.closed_mechanisms import CATALOGUE, closed_pose

O, X, Y, Z = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)
JOINTS = {  # kind: joint with its axis along e3, and the entries of the table as printed, the revolute joint's corrected
    "prismatic": (ct.Prismatic(Z, point=O), "E12 E23 E13 p1 p2"),
    "revolute": (ct.Revolute(O, Z), "E13 E23 p1 p2 p3"),
    "planar_translation": (ct.PlanarTranslation(Z, x_axis=X), "E12 E23 E13 p3"),
    "cylindrical": (ct.Cylindrical(O, Z), "E13 E23 p1 p2"),
    "universal": (ct.Universal(O, X, Y), "E12 p1 p2 p3"),
    "translation": (ct.Translation(), "E12 E23 E13"),
    "planar": (ct.Planar(O, Z, x_axis=X), "E13 E23 p3"),
    "spherical": (ct.Spherical(O), "p1 p2 p3"),
    "schoenflies": (ct.Schoenflies(Z), "E13 E23"),
}
SCOPES = ("local", "global")


def one(joint, **way):
    """One body on the joint, its frame that of the joint."""
    mech = ct.Mechanism("joint", (0, 0, 0))
    mech.joint("joint", mech.ground, mech.body("body", 1.0, O, (1.0, 1.0, 1.0)), joint)
    return mech.compile(**way)


@pytest.mark.parametrize("kind", JOINTS)
def test_the_entries_are_those_of_the_table(kind):
    N = ct.lie.exp_se3((0.3, -0.5, 0.7, 0.2, 0.4, -0.1))
    want = [N[int(w[1]) - 1, int(w[2]) - 1] if w[0] == "E" else N[int(w[1]) - 1, 3] for w in JOINTS[kind][1].split()]
    assert ct.screws.joint_gap(kind, N) == pytest.approx(want, abs=1e-15)
    turn = ct.lie.exp_se3((0, 0, 0.7, 0, 0, 0.5))
    assert ct.screws.joint_gap("helical", turn, pitch=0.3)[-1] == pytest.approx(0.5 - 0.3 * 0.7)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("kind", JOINTS)
def test_zero_for_motions_of_the_joint_alone(kind, scope):
    """Zero wherever the joint moves to, and of first order along every direction that it holds."""
    system, rng = one(JOINTS[kind][0]), np.random.default_rng(3)
    for _ in range(5):
        N = ct.poses(system, ct.displace(system, system.q0, rng.uniform(-1.2, 1.2, system.nv)))[1]
        assert np.abs(ct.screws.joint_gap(kind, N, scope=scope)).max() < 1e-14
        h = 1e-6
        moved = [ct.screws.joint_gap(kind, N @ ct.lie.exp_se3(h * e), scope=scope) / h for e in np.eye(6)]
        assert np.linalg.matrix_rank(np.array(moved), 1e-3) == 6 - system.nv


@pytest.mark.parametrize("scope", SCOPES)
def test_screw_joints_count_their_turns(scope):
    for angle in (0.4, 5.0, 20.0):
        N = ct.lie.exp_se3((0, 0, angle, 0, 0, 0.3 * angle))
        assert np.abs(ct.screws.joint_gap("helical", N, pitch=0.3, scope=scope)).max() < 1e-13
        N[2, 3] += 0.01
        assert ct.screws.joint_gap("helical", N, pitch=0.3, scope=scope)[-1] == pytest.approx(0.01)


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "schoenflies", "prismatic", "translation"])
def test_opposite_directions(kind):
    """Remark 4: turned over by pi about e1 the table's entries vanish, the global map is off by pi, and by 2 on the way."""
    over = np.diag([1.0, -1.0, -1.0, 1.0])
    assert np.abs(ct.screws.joint_gap(kind, over)).max() == 0.0
    assert np.abs(ct.screws.joint_gap(kind, over, scope="global")).max() == pytest.approx(np.pi)
    tilted = ct.lie.exp_se3((1.2, 1.6, 0, 0, 0, 0))
    assert np.linalg.norm(ct.screws.joint_gap(kind, tilted, scope="global")) == pytest.approx(2.0)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", ["four-bar", "Sarrus", "delta", "3-PRRR"])
def test_of_mechanisms(name, scope):
    system = CATALOGUE[name][0]().mechanism().compile()
    q = closed_pose(system, np.random.default_rng(2), 0.3)
    gaps = ct.theory.joint_gaps(system, q, scope)
    assert list(gaps) == list(system.cut_joints)
    assert max(np.abs(x).max() for x in gaps.values()) < 1e-11


@pytest.mark.parametrize("kind", JOINTS)
def test_of_an_open_joint(kind):
    """A body that floats beside its joint: the entries of its own pose."""
    system = one(JOINTS[kind][0], coordinates="absolute")
    q = ct.displace(system, system.q0, (0.3, -0.2, 0.5, 0.1, 0.4, -0.3))
    N = ct.poses(system, q)[1]
    for scope in SCOPES:
        assert ct.theory.joint_gaps(system, q, scope)["joint"] == pytest.approx(
            ct.screws.joint_gap(kind, N, scope=scope), abs=1e-14
        )


def test_what_is_refused():
    with pytest.raises(ArgumentError, match=r"array \(4, 4\)"):
        ct.screws.joint_gap("revolute", np.eye(3))
    with pytest.raises(ChoiceError, match="'local', 'global'"):
        ct.screws.joint_gap("revolute", np.eye(4), scope="world")
