"""What bodies can do against each other: known groups, and twists along motions that lie in them."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import Sketch, bennett, four_bar, prrr3, sarrus, spherical_four_bar


def test_known_groups():
    found = ct.theory.motion_algebra(four_bar().mechanism(), "b1")
    assert (found.kind, found.dimension, found.point, found.pitch) == ("planar", 3, None, None)
    assert np.allclose(np.abs(found.axis), (0, 0, 1))
    assert str(found) == "planar about (0, 0, 1) (3 dimensions)"
    found = ct.theory.motion_algebra(four_bar().compile(), "b0")
    assert (found.kind, found.dimension) == ("revolute", 1)
    assert np.allclose(found.point, (0, 0, 0))
    found = ct.theory.motion_algebra(spherical_four_bar().compile(), "b1")
    assert (found.kind, found.dimension) == ("spherical", 3)
    assert np.allclose(found.point, (0, 0, 0), atol=1e-9)
    assert ct.theory.motion_algebra(bennett().compile(), "b1").kind == "free"


def test_closed_loops_narrow_it():
    """Sarrus' plate goes straight up, the platform of the 3-PRRR translates: no chain of joints alone tells."""
    plate = ct.theory.motion_algebra(sarrus().compile(), "b2")
    assert (plate.kind, plate.dimension) == ("prismatic", 1)
    assert np.allclose(np.abs(plate.axis), (0, 0, 1))
    data = prrr3()
    platform = max((b.name for b in data.bodies), key=lambda n: sum(n in (j.inner, j.outer) for j in data.joints))
    assert ct.theory.motion_algebra(data.compile(), platform).kind == "translation"


def test_against_another_body_and_itself():
    system = four_bar().compile()
    assert ct.theory.motion_algebra(system, "b1", "b0").kind == "revolute"
    assert ct.theory.motion_algebra(system, "b0", "b1").kind == "revolute"
    itself = ct.theory.motion_algebra(system, "b0", "b0")
    assert (itself.kind, itself.dimension, itself.basis.shape) == ("weld", 0, (6, 0))
    assert ct.theory.motion_algebra(system, "ground").kind == "weld"


def test_across_blocks():
    """A slide across the axis of a hinge, behind a loop: planar, whatever the loop's own size."""
    sketch = Sketch()
    for i, p in enumerate([(0, 0, 0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)]):
        names = ["ground", "b0", "b1", "b2", "ground"]
        sketch.joint(f"j{i}", "Revolute", names[i], names[i + 1], p)
    sketch.joint("slide", "Prismatic", "b1", "block", (1, 1, 0), (1, 0, 0))
    sketch.joint("knob", "Revolute", "block", "knob", (1, 1, 5), (1, 0, 0))
    system = sketch.data().compile()
    assert ct.theory.motion_algebra(system, "block").kind == "planar"
    assert ct.theory.motion_algebra(system, "knob", "b1").kind == "cylindrical"
    assert ct.theory.motion_algebra(system, "knob").kind == "free"


@pytest.mark.parametrize("build", [four_bar, spherical_four_bar, sarrus, prrr3])
def test_twists_lie_in_the_algebra(build):
    """Along a run the body twists of displacements from the reference do; the second route is numbers of the run itself."""
    system = build().compile()
    run = ct.simulate(system, 0.3, output=4)
    for name in system.body_names:
        B = ct.theory.motion_algebra(system, name).basis
        for q, v in zip(run.q, run.v, strict=True):
            V = ct.twists(system, q, v, "spatial")[system.row_of(name)]
            C = ct.poses(system, q)[system.row_of(name)]
            from cotree.lie import Ad, inverse

            for twist in (V, Ad(inverse(C)) @ V):
                left = twist - B @ np.linalg.lstsq(B, twist, rcond=None)[0]
                assert np.abs(left).max() < 1e-7 * max(1.0, np.abs(twist).max())


def test_unknown_bodies():
    with pytest.raises(ct.errors.UnknownNameError, match="no body 'x'"):
        ct.theory.motion_algebra(four_bar().compile(), "x")


def test_self_stress():
    """Three states out of the plane of a four-bar; none of a planar joint's worth in an open chain."""
    system = four_bar().compile()
    found = ct.self_stress(system)
    assert all(W.shape == (3, 6) for W in found.joints.values())
    assert set(found.undetermined) == set(system.joint_names)
    assert ct.self_stress(system, system.q0, t=0.0).undetermined == found.undetermined


def test_self_stress_in_words():
    """What is not determined, and what to do about it; constraints that take part are named too."""
    mech = ct.gallery.four_bar()
    text = str(ct.self_stress(mech))
    assert text.startswith("four-bar: 3 states of self-stress: ")
    assert "reactions of joints that are not determined: A, B, C, D\n" in text
    assert "give one more freedom" in text
    assert ct.self_stress(mech)._repr_html_().startswith("<pre")
    assert str(ct.self_stress(ct.gallery.pendulum_chain(2))).endswith(
        "no self-stress; the reactions of all joints are unique"
    )
    arm = ct.gallery.pendulum_chain(1)
    (joint,) = arm.joints
    for name in ("one", "other"):
        arm.drive(name, joint, lambda t: 0.0)
    found = ct.self_stress(arm)
    assert (found.count, found.constraints) == (1, ("one", "other"))
    assert "1 state of self-stress" in str(found)
    assert "forces of constraints that are not determined: one, other" in str(found)


def test_platforms_that_do_less_than_their_joints_prove():
    """A Delta's platform and a parallelogram's coupler only translate; each leg on its own could turn them."""
    found = ct.theory.motion_algebra(ct.gallery.delta(), "platform")
    assert (found.kind, found.dimension, found.proven) == ("translation", 3, False)
    assert "found by moving it near the reference assembly" in str(found)
    assert np.abs(found.basis[:3]).max() < 1e-9
    mech = ct.gallery.parallelogram(0.6)
    found = ct.theory.motion_algebra(mech, "coupler")
    assert (found.kind, found.dimension, found.proven) == ("planar_translation", 2, False)
    assert np.allclose(np.abs(found.axis), (0, 0, 1), atol=1e-9)
    turned = ct.theory.motion_algebra(mech, "coupler", "ground"), ct.theory.motion_algebra(mech, "ground", "coupler")
    assert turned[0].kind == turned[1].kind
    between = ct.theory.motion_algebra(mech, mech.compile().body_names[-1], mech.compile().body_names[0])
    assert between.kind == "planar_translation"  # the cranks stay parallel


def test_runs_stay_in_the_group_that_was_seen():
    mech = ct.gallery.delta()
    run = ct.simulate(mech, 0.5, output=11)
    C = run.poses()[:, run.system.row_of("platform"), :3, :3]
    assert np.abs(C - C[0]).max() < 1e-9


def test_where_nothing_smaller_was_seen_the_group_is_proven():
    assert ct.theory.motion_algebra(four_bar().compile(), "b1").proven
    assert ct.theory.motion_algebra(ct.gallery.bricard(), "link2").proven
    flat = ct.theory.motion_algebra(
        ct.gallery.parallelogram(0.0), "coupler"
    )  # branches meet: what was seen does not count
    assert (flat.kind, flat.proven) == ("planar", True)


@pytest.mark.parametrize("far", [1.0, 1e4, 1e5])
def test_small_loop_in_a_large_mechanism(far):
    """The coupler of a four-bar of a few millimetres moves in a plane, however far away another body is."""
    sketch, names = Sketch(), ["ground", "crank", "coupler", "rocker", "ground"]
    for i, p in enumerate([(0, 0, 0), (0.6e-3, 0.8e-3, 0), (2.4e-3, 1.4e-3, 0), (2.5e-3, 0, 0)]):
        sketch.joint(f"j{i}", "Revolute", names[i], names[i + 1], p)
    sketch.joint("far", "Revolute", "ground", "far", (far, 0, 0), (0, 1, 0))
    mech = sketch.data().mechanism()
    for body, other in (("coupler", "ground"), ("rocker", "crank")):
        found = ct.theory.motion_algebra(mech, body, other)
        assert (found.kind, found.dimension, found.proven) == ("planar", 3, True)
