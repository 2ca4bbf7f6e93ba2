"""Mechanisms that do not compile: unconnected, without mass, with wrong choices or with frames that do not meet."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    CoordinatesError,
    ForeignBodyError,
    FrameError,
    MassError,
    ModelError,
    UnconnectedError,
    UnknownNameError,
)
from cotree.lie import exp_se3, pose
from tests.model.builders import four_bar, pendulum, refused

# -- connection ----------------------------------------------------------------------------------------------


def test_an_empty_mechanism():
    with refused(ModelError, "'empty'", "no bodies", "mech.body"):
        ct.Mechanism("empty").compile()


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_a_body_joined_to_nothing(coordinates):
    mech = pendulum()
    mech.body("lost", 1, (0, 0, 0), (1, 1, 1))
    with refused(UnconnectedError, "'lost'", "to ground", "ct.Free()"):
        mech.compile(coordinates=coordinates)
    mech.joint("float", "ground", "lost", ct.Free())
    assert mech.compile(coordinates=coordinates).n_bodies == 2


def test_an_island_of_several_bodies():
    mech = pendulum()
    for k in range(7):
        mech.body(f"i{k}", 1, (k, 0, 0), (1, 1, 1))
    for k in range(6):
        mech.joint(f"J{k}", f"i{k}", f"i{k + 1}", ct.Revolute((k, 0, 0)))
    with refused(UnconnectedError, "'i0', 'i1', 'i2', 'i3', 'i4' and others") as caught:
        mech.compile()
    assert "'bob'" not in str(caught.value)


# -- choices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["relativ", None, 1, "Absolute"])
def test_unknown_coordinates(value):
    with refused(CoordinatesError, "coordinates", repr(value), "'relative', 'absolute'"):
        pendulum().compile(coordinates=value)


@pytest.mark.parametrize("value", ["se3", None, "SO3"])
def test_unknown_groups(value):
    with refused(CoordinatesError, "group", repr(value), "'SE3', 'SO3xR3', 'auto'"):
        pendulum().compile(group=value)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_unknown_cut_joints(coordinates):
    mech = four_bar()
    for cut, name in ((["X"], "X"), (["A", "AB"], "AB"), ("AB", "AB"), ([1], 1), ([["A"]], ["A"])):
        with refused(UnknownNameError, "cut", repr(name), "'four-bar'"):
            mech.compile(coordinates=coordinates, cut=cut)


def test_cut_joints_in_every_form():
    mech = four_bar()
    forms = ["B", ["B"], ("B",), {"B": 1}, (name for name in ["B"]), [mech.joints["B"]], np.array(["B"])]
    assert [mech.compile(cut=form).cut_joints for form in forms] == [("B",)] * len(forms)
    assert mech.compile(cut=[]).cut_joints == ("C",)


def test_names_that_lead_nowhere():
    system = four_bar().compile()
    with refused(UnknownNameError, "'cranc'", "'four-bar'", "did you mean 'crank'?"):
        system.row_of("cranc")
    for body in (4, -1, None, 1.0, ["crank"]):
        with refused(UnknownNameError, repr(body), "'four-bar'"):
            ct.spatial_jacobian(system, system.q0, body)
    with refused(UnknownNameError, "'E'", "there are 'A', 'B', 'D'"):
        system.velocity_index("E")


def test_bodies_of_another_mechanism():
    mech, other = four_bar(), four_bar()
    system = mech.compile()
    for body in (other.bodies["crank"], other.ground):
        with refused(ForeignBodyError, repr(body.name), "'four-bar'"):
            ct.body_jacobian(system, system.q0, body)
    late = mech.body("late", 1, (0, 0, 0))
    with refused(UnknownNameError, "'late'"):
        system.row_of(late)


def test_bodies_by_name_row_and_themselves():
    system = four_bar().compile()
    for row, name in enumerate(("ground", *system.body_names)):
        body = system.mechanism.ground if row == 0 else system.mechanism.bodies[name]
        assert [system.row_of(x) for x in (name, row, np.int64(row), body)] == [row] * 4
    assert [system.velocity_index(name) for name in system.coordinate_names] == [0, 1, 2]


# -- mass ----------------------------------------------------------------------------------------------------


def chain(*masses, joint=ct.Revolute):
    """Bodies b0, b1, ... hanging from each other."""
    mech, above = ct.Mechanism("chain"), "ground"
    for k, (mass, inertia) in enumerate(masses):
        mech.body(f"b{k}", mass, (k + 0.5, 0, 0), inertia)
        mech.joint(f"J{k}", above, f"b{k}", joint(point=(k, 0, 0)))
        above = f"b{k}"
    return mech


HEAVY, LIGHT, SPINNING = (1.0, (1, 1, 1)), (0.0, (0, 0, 0)), (0.0, (1, 1, 1))


@pytest.mark.parametrize("joint", [ct.Revolute, ct.Universal, ct.Spherical])
def test_a_massless_end(joint):
    with refused(MassError, "'b0'", "mass"):
        chain(LIGHT, joint=joint).compile()
    with refused(MassError, "'b2'", "nor any body attached to it has mass", "weld"):
        chain(HEAVY, HEAVY, LIGHT, joint=joint).compile()
    with refused(MassError, "'b2'", "mass"):
        chain(HEAVY, LIGHT, LIGHT, joint=joint).compile()


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_massless_links_need_mass_beyond_them(coordinates):
    mech = chain(LIGHT, HEAVY)
    if coordinates == "absolute":  # nothing is beyond anything
        with refused(MassError, "'b0'", "mass"):
            mech.compile(coordinates)
    else:
        assert np.all(np.linalg.eigvalsh(ct.mass_matrix(mech.compile(), [0.1, 0.5])) > 0)


def test_inertia_without_mass_is_enough_for_a_rotation():
    assert ct.mass_matrix(chain(SPINNING).compile(), [0.3]) == pytest.approx(np.array([[1.0]]))


def test_a_massless_body_may_be_welded():
    mech = chain(HEAVY)
    mech.body("sensor", 0, (1, 0, 0))
    mech.joint("glue", "b0", "sensor", ct.Weld())
    assert ct.mass_matrix(mech.compile(), [0.0]) == ct.mass_matrix(chain(HEAVY).compile(), [0.0])
    fixed = chain(HEAVY)
    fixed.body("post", 0, (1, 0, 0))
    fixed.joint("bolt", "ground", "post", ct.Weld())
    assert fixed.compile().nv == 1


# -- frames --------------------------------------------------------------------------------------------------


def framed(joint, body_pose=None):
    """One body whose joint is told by frames on either side."""
    mech = ct.Mechanism()
    mech.body("arm", 1, (0.1, 0, 0), (1, 1, 1), pose=np.eye(4) if body_pose is None else body_pose)
    mech.joint("elbow", "ground", "arm", joint)
    return mech


GAPS = {
    "revolute, apart": (ct.Revolute, pose(p=(0, 0, 1e-3))),
    "revolute, tilted": (ct.Revolute, exp_se3([1e-3, 0, 0, 0, 0, 0])),
    "prismatic, turned": (ct.Prismatic, exp_se3([0, 0, 1e-3, 0, 0, 0])),
    "spherical, apart": (ct.Spherical, pose(p=(1e-5, 0, 0))),
    "weld, apart": (ct.Weld, pose(p=(0, 1e-5, 0))),
    "weld, turned": (ct.Weld, exp_se3([0, 1e-5, 0, 0, 0, 0])),
    "universal, twisted": (ct.Universal, exp_se3([0, 0, 0.1, 0, 0, 0])),
    "planar, off the plane": (ct.Planar, pose(p=(1, 2, 1e-3))),
    "translation, turned": (ct.Translation, exp_se3([1e-3, 0, 0, 1, 2, 3])),
}
MEETINGS = {
    "revolute": (ct.Revolute, exp_se3([0, 0, 0.8, 0, 0, 0])),
    "prismatic": (ct.Prismatic, pose(p=(0, 0, 5))),
    "spherical": (ct.Spherical, exp_se3([0.3, -1.0, 0.4, 0, 0, 0])),
    "planar": (ct.Planar, exp_se3([0, 0, 1.0, 3, 4, 0])),
    "translation": (ct.Translation, pose(p=(3, 4, 5))),
    "weld, rounded": (ct.Weld, pose(p=(1e-8, 0, 0))),
    "free": (ct.Free, exp_se3([1, 2, 0.5, 3, 4, 5])),
}


@pytest.mark.parametrize(("joint", "gap"), GAPS.values(), ids=GAPS)
def test_frames_that_do_not_meet(joint, gap):
    with refused(FrameError, "'elbow'", "frame_parent and frame_child do not coincide", "gap"):
        framed(joint(frame_parent=np.eye(4), frame_child=gap)).compile()
    with refused(FrameError, "'elbow'"):
        framed(joint(frame_parent=np.eye(4), frame_child=np.eye(4)), gap).compile()


@pytest.mark.parametrize(("joint", "motion"), MEETINGS.values(), ids=MEETINGS)
def test_frames_may_differ_by_the_motion_of_the_joint(joint, motion):
    system = framed(joint(frame_parent=np.eye(4), frame_child=motion)).compile()
    assert system.n_bodies == 1
    assert np.allclose(ct.poses(system, system.q0)[1], np.eye(4), atol=1e-7)


def test_frames_that_nothing_leads_to():
    mech = ct.Mechanism()
    mech.body("a", 1, (0, 0, 0), (1, 1, 1), pose="joints")
    mech.body("b", 1, (0, 0, 0), (1, 1, 1), pose="joints")
    mech.joint("J", "ground", "a", ct.Revolute(frame_child=pose(p=(0, 1, 0))))
    mech.joint("K", "a", "b", ct.Revolute((1, 0, 0), (0, 0, 1)))
    with refused(FrameError, "'b'", "its pose does not follow from the joint frames", "frame_parent and frame_child"):
        mech.compile()


def test_frames_follow_from_joint_frames():
    """m_child = m_parent S_parent S_child^-1, Geo (10), in either direction along a joint."""
    mech = ct.Mechanism()
    for name in ("a", "b"):
        mech.body(name, 1, (0, 0, 0), (1, 1, 1), pose="joints")
    mech.joint("J", "ground", "a", ct.Revolute(frame_parent=pose(p=(1, 0, 0)), frame_child=pose(p=(0, 1, 0))))
    mech.joint("K", "b", "a", ct.Revolute(frame_parent=pose(p=(0, 0, 1)), frame_child=pose(p=(0, 0, 2))))
    system = mech.compile()
    assert np.allclose(ct.poses(system, system.q0)[1], pose(p=(1, -1, 0)))
    assert np.allclose(ct.poses(system, system.q0)[2], pose(p=(1, -1, 1)))
