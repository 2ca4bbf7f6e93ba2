"""The group of each body: given by name, chosen by the motion algebra, shown, stored; and what steps on it keep."""

import pickle
import re

import numpy as np
import pytest

import cotree as ct
from cotree.errors import CoordinatesError, UnknownNameError
from cotree.lie import Ad, exp_se3, exp_so3, log_se3, pose
from cotree.screws import Kind, Scale, contains, motion_basis, span
from cotree.system.groups import kept_directly
from tests.closed_mechanisms import revolutes

SLIDER = "slider"


def slider_crank():
    """Crank, rod and slider, none of whose joints is at the origin of a body."""
    mech = ct.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    mech.body("crank", 1, (0.9, 0.5, 0.2), (0.1, 0.2, 0.1))
    mech.body("rod", 1, (1.9, 0.5, 0.2), (0.1, 0.2, 0.3))
    mech.body(SLIDER, 1, (2.6, 0.2, 0.2), (0.1, 0.1, 0.1))
    mech.joint("A", "ground", "crank", ct.Revolute((0.5, 0.2, 0), (0, 0, 1)))
    mech.joint("B", "crank", "rod", ct.Revolute((1.2, 0.9, 0), (0, 0, 1)))
    mech.joint("C", "rod", SLIDER, ct.Revolute((2.5, 0.2, 0), (0, 0, 1)))
    mech.joint("D", "ground", SLIDER, ct.Prismatic(axis=(1, 0, 0)))
    return mech


def spherical_five_bar():
    """Five axes through one point away from the origin; three of its four links have no joint with the ground of both."""
    rng = np.random.default_rng(3)
    return revolutes(((0.3, 0.2, -0.5), axis / np.linalg.norm(axis)) for axis in rng.normal(size=(5, 3)))


# -- by name -------------------------------------------------------------------------------------------------


def test_bodies_by_name():
    mech = slider_crank()
    system = mech.compile("absolute", group={"rod": "SO3xR3", mech.bodies["crank"]: "SE3"})
    assert system.groups == {"crank": "SE3", "rod": "SO3xR3", SLIDER: "SE3"}
    assert [line[-11:] for line in str(system).splitlines()[2:5]] == ["rank on SE3", "d on SO3xR3", "ider on SE3"]
    others = {g: mech.compile("absolute", group=g) for g in ("SE3", "SO3xR3")}
    assert {g: set(s.groups.values()) for g, s in others.items()} == {"SE3": {"SE3"}, "SO3xR3": {"SO3xR3"}}
    q = ct.displace(system, system.q0, np.linspace(-1, 1, 18))
    for name, group in system.groups.items():  # the tables are those of the system that is all on this group
        for g, other in others.items():
            same = np.allclose(ct.spatial_jacobian(system, q, name), ct.spatial_jacobian(other, q, name), atol=1e-14)
            assert same == (g == group)


def test_one_motion_on_all_groups():
    mech = slider_crank()
    runs = [ct.simulate(mech.compile("absolute", group=g), 0.5, output=6, rtol=1e-10, atol=1e-10)
            for g in ("SE3", "auto", {"crank": "SO3xR3"}, {"rod": "auto", SLIDER: "SO3xR3"})]  # fmt: skip
    for run in runs[1:]:
        assert np.allclose(run.poses(), runs[0].poses(), atol=1e-7)


def test_relative_coordinates():
    """A body on a hinge has the joint's velocities; one that floats, and what is welded to it, those of its group."""
    mech = ct.Mechanism()
    for k, name in enumerate("abc"):
        mech.body(name, 1, (k, 0, 0), (1, 1, 1))
    mech.joint("fly", "a", "ground", ct.Free())
    mech.joint("weld", "a", "b", ct.Weld())
    mech.joint("hinge", "b", "c", ct.Revolute((1, 1, 0)))
    system = mech.compile(group={"a": "SO3xR3"})
    assert system.groups == {"a": "SO3xR3", "b": "SO3xR3", "c": "SE3"}
    assert mech.compile(group="auto").groups["a"] == "SO3xR3"
    assert mech.compile().groups == dict.fromkeys("abc", "SE3")
    with pytest.raises(CoordinatesError, match=r"body 'c' has the coordinates of joint 'hinge' \(Revolute\).*absolute"):
        mech.compile(group={"c": "SO3xR3"})


def test_errors_say_what_was_meant():
    mech = slider_crank()
    with pytest.raises(UnknownNameError, match=r"group: no body 'slidr'.*did you mean 'slider'"):
        mech.compile("absolute", group={"slidr": "SE3"})
    with pytest.raises(UnknownNameError, match="group: no body 7"):
        mech.compile("absolute", group={7: "SE3"})
    with pytest.raises(CoordinatesError, match=r"group of body 'rod' is 'so3'.*did you mean 'SO3xR3'\?"):
        mech.compile("absolute", group={"rod": "so3"})
    with pytest.raises(CoordinatesError, match=r"group is 'se3'.*did you mean 'SE3'\?"):
        mech.compile("absolute", group="se3")


def test_copies_and_files_keep_them(tmp_path):
    given = {"rod": "SO3xR3"}
    system = slider_crank().compile("absolute", group=given)
    given["rod"] = "SE3"  # the system has its own
    run = ct.simulate(system, 0.1, output=3)
    run.save(tmp_path / "run.h5")
    for other in (pickle.loads(pickle.dumps(system)), ct.load_run(tmp_path / "run.h5").system):
        assert other.groups == {"crank": "SE3", "rod": "SO3xR3", SLIDER: "SE3"}
        assert other.group == {"rod": "SO3xR3"}
    assert ct.mobility(system, tolerance=1e-6).local == 1  # compiled again with the same choices


def test_the_mechanism_s_own_start_is_carried_over():
    mech = ct.Mechanism()
    mech.body("a", 1, (1, 2, 0), (1, 1, 2))
    mech.joint("fly", "ground", "a", ct.Free())
    mech.q_start, mech.v_start = [np.cos(0.5), 0, 0, np.sin(0.5), 1, 2, 3], [0, 0, 0, 1, 0, 0]
    one, two = (ct.simulate(mech.compile(group=g), 0.1, output=3) for g in ("SE3", {"a": "SO3xR3"}))
    assert np.allclose(one.v[0], [0, 0, 0, 1, 0, 0])
    assert np.allclose(two.v[0], [0, 0, 0, np.cos(1), np.sin(1), 0])
    assert np.allclose(one.poses(), two.poses(), atol=1e-9)


# -- auto ----------------------------------------------------------------------------------------------------


def test_auto_by_the_motion_algebra():
    """The rod moves in a plane and the slider along a line, which SO(3) x R3 keeps too; the crank turns about an axis. The
    links of a spherical linkage turn about its centre, also those without a joint to ground."""
    assert slider_crank().compile("absolute", group="auto").groups == {
        "crank": "SE3", "rod": "SO3xR3", SLIDER: "SO3xR3"
    }  # fmt: skip
    assert spherical_five_bar().compile(coordinates="absolute", group="auto").groups == dict.fromkeys(
        ["b0", "b1", "b2", "b3"], "SE3"
    )
    assert ct.gallery.bricard().compile("absolute", group="auto").groups == {
        "link1": "SE3", "link2": "SO3xR3", "link3": "SO3xR3", "link4": "SO3xR3", "link5": "SE3"
    }  # fmt: skip


def test_a_joint_that_may_open_does_not_count():
    mech = ct.Mechanism()
    mech.body("a", 1, (1, 2, 0), (1, 1, 2))
    mech.joint("pin", "ground", "a", ct.Revolute((1, 0, 0)))
    assert mech.compile("absolute", group="auto").groups == {"a": "SE3"}
    mech.deactivate("pin", at=1.0)
    assert mech.compile("absolute", group="auto").groups == {"a": "SO3xR3"}


def test_a_long_chain_is_quick_to_look_at():
    """Beyond the third hinge or so a body can do anything; the way from ground is not gone through again for each."""
    mech, rng = ct.Mechanism(), np.random.default_rng(1)
    for k in range(400):
        mech.body(f"b{k}", 1, (k, 0, 0), (1, 1, 1))
        mech.joint(f"j{k}", f"b{k - 1}" if k else "ground", f"b{k}", ct.Revolute((k, 0, 0), rng.normal(size=3)))
    groups = mech.compile("absolute", group="auto").groups
    assert [groups[f"b{k}"] for k in range(400)] == ["SE3", *["SO3xR3"] * 399]


KEPT = {Kind.PRISMATIC, Kind.PLANAR_TRANSLATION, Kind.TRANSLATION, Kind.PLANAR, Kind.HELICAL_PLANAR, Kind.SCHOENFLIES}


@pytest.mark.parametrize("kind", [k for k in Kind if k.is_group and k not in (Kind.WELD, Kind.FREE)])
def test_what_steps_on_the_direct_product_keep(kind):
    """A step with the mean of two velocities of the group, as Runge-Kutta methods take: on SE(3) it stays in the group, and on
    SO(3) x R3 for the kinds named."""
    C = pose(exp_so3([0.4, -0.9, 0.7]), [0.7, -0.4, 1.1])
    h = span(Scale(1.0, np.zeros(3)).apply(Ad(C) @ motion_basis(kind, *([0.3] if "helical" in kind else []))))
    rng = np.random.default_rng(5)
    first, second = (h @ rng.normal(size=h.shape[1]) for _ in range(2))
    assert contains(h, _unit(log_se3(exp_se3(0.25 * (first + second)))))
    R = exp_se3(0.5 * first)[:3, :3]
    step = pose(exp_so3(0.25 * (first + second)[:3]), 0.25 * (first[3:] + R @ second[3:]))
    assert contains(h, _unit(log_se3(step))) == (kind in KEPT) == kept_directly(h)


def _unit(X):
    return (X / np.linalg.norm(X))[:, None]


def test_links_of_a_spherical_linkage_stay_about_its_centre():
    """All rows kept, nothing stabilized: by the lower pair to ground alone the two inner links would be on SO(3) x R3."""
    data, centre, off = spherical_five_bar(), np.array([0.3, 0.2, -0.5, 1.0]), {}
    by_pairs = {"b1": "SO3xR3", "b2": "SO3xR3"}
    for name, group in {"auto": "auto", "pairs": by_pairs, "SO3xR3": "SO3xR3"}.items():
        system = data.compile(coordinates="absolute", group=group, regularize=False)
        v = ct.consistent_velocity(system, system.q0, np.linspace(-2, 2, system.nv))
        run = ct.simulate(system, 1.0, v=v, step=1e-2, method="rk4", stabilize="none", output=3)
        off[name] = np.abs(run.poses()[:, 1:] @ centre - centre).max()
    assert off["auto"] < 1e-14
    assert min(off["pairs"], off["SO3xR3"]) > 1e-10


# -- words ---------------------------------------------------------------------------------------------------


def test_the_words_tell_the_axes():
    """Each velocity alone moves its body as its phrase says."""
    system = slider_crank().compile("absolute", group="auto")
    q = ct.displace(system, system.q0, np.linspace(-1, 1, 18))
    for e, text in zip(np.eye(18), system.v_meaning, strict=True):
        what, axis, frame = re.fullmatch(r"(.*) (?:about|along) the (.) axis of (.*)", text).groups()
        name = re.search("'(.*)'", what)[1]
        V = ct.twists(system, q, e, "body")[system.row_of(name)]
        R = ct.poses(system, q)[system.row_of(name), :3, :3] if frame == "the world" else np.eye(3)
        assert frame in ("the world", repr(name))
        moved = V[:3] if what.startswith("angular") else R @ V[3:]
        assert np.allclose(moved, np.eye(3)["xyz".index(axis)], atol=1e-14)
        assert np.isclose(np.linalg.norm(V), 1.0)
    assert sum(text.endswith("the world") for text in system.v_meaning) == 6


def test_words_of_other_joints():
    mech = ct.Mechanism()
    for k, name in enumerate("abcd"):
        mech.body(name, 1, (k, 0, 0), (1, 1, 1))
    mech.joint("ball", "ground", "a", ct.Spherical())
    mech.joint("fly", "a", "b", ct.Free())
    mech.joint("hinge", "b", "c", ct.Revolute())
    mech.joint("plane", "c", "d", ct.Planar())
    words = dict(zip((s := mech.compile(group="SO3xR3")).v_names, s.v_meaning, strict=True))
    assert words["ball.wy"] == "angular velocity of 'a' about the y axis of the joint frame fixed to 'a'"
    assert words["fly.vz"] == "velocity of the origin of 'b' against 'a' along the z axis of 'a'"
    assert words["hinge"] == "rate of coordinate 'hinge' of 'c' against 'b'"
    assert words["plane.vx"] == (
        "velocity of the joint frame's origin on 'd' against 'c' along the x axis of the joint frame fixed to 'd'"
    )
    assert mech.compile(cut=["ball", "fly"]).v_meaning[0] == "angular velocity of 'a' about the x axis of 'a'"
