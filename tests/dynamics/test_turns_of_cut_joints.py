"""Angles of joints that are cut, beyond half a turn: what laws see of them, and what is read from runs."""

import warnings

import numba
import numpy as np
import pytest

import cotree as ct

Z = (0.0, 0.0, 1.0)


def drag_link():
    """A four-bar of which both cranks turn: crank 1, coupler 0.9, rocker 0.95, ground 0.3."""
    A, B, D = np.zeros(3), np.array([0.0, 1.0, 0.0]), np.array([0.3, 0.0, 0.0])
    d = np.linalg.norm(D - B)
    x = (0.9**2 - 0.95**2 + d * d) / (2.0 * d)
    e = (D - B) / d
    C = B + x * e + np.sqrt(0.9**2 - x * x) * np.cross(Z, e)
    mech = ct.Mechanism("drag link", gravity=(0, 0, 0))
    for name, p, r in (("crank", A, B), ("coupler", B, C), ("rocker", C, D)):
        mech.body(name, mass=1.0, com=(p + r) / 2, inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, "crank", ct.Revolute(A, Z))
    mech.joint("B", "crank", "coupler", ct.Revolute(B, Z))
    mech.joint("C", "coupler", "rocker", ct.Revolute(C, Z))
    mech.joint("D", mech.ground, "rocker", ct.Revolute(D, Z))
    return mech


def towards_ten(angle, rate):
    return -2.0 * (angle - 10.0) - 1.5 * rate


LAWS = {
    "function": towards_ten,
    "compiled": numba.njit(towards_ten),
    "joints": lambda joints, rate: -2.0 * (joints["D"].angle - 10.0) - 1.5 * rate,
    "sampled": ct.Law(towards_ten, period=0.05),
    "pid": ct.PID(10.0, kp=2.0, kd=1.5),
}


def followed(law, rows=21, **choices):
    mech = drag_link()
    mech.motor("law", "D", law)
    return ct.simulate(mech.compile(**choices), 4.0, v={"A": 0.9}, output=rows, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_laws_see_the_turns_of_a_cut_joint_in_a_planar_loop(law):
    """It passes 10 rad; between -pi and pi the law would drive it on for ever."""
    whole, cut = followed(law, cut=["C"]), followed(law, cut=["D"])
    assert whole.joint("D").angle[-1] > 9.5
    assert cut.joint("D").angle[-1] == pytest.approx(whole.joint("D").angle[-1], abs=1e-5)
    assert not cut.warnings


def test_axes_of_joints_in_frames_of_their_own():
    """A joint told by frames has its axis along their z, here against that of the others; its angle has the other sign."""
    mech, D = ct.Mechanism("drag link", gravity=(0, 0, 0)), (0.3, 0.0, 0.0)
    plain = drag_link()
    for name, body in plain.bodies.items():
        p = body.properties
        mech.body(name, mass=p.mass, com=p.com, inertia=p.inertia)
    for name in "ABC":
        j = plain.joints[name]
        mech.joint(name, j.parent, j.child, j.joint)
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = np.diag([1.0, -1.0, -1.0]), D
    mech.joint("D", mech.ground, "rocker", ct.Revolute(frame_parent=frame, frame_child=frame))
    options = {"v": {"A": 3.0}, "output": 41, "rtol": 1e-9, "atol": 1e-9}
    ours = ct.simulate(mech.compile(cut=["D"]), 4.0, **options).joint("D").angle
    theirs = ct.simulate(plain.compile(cut=["C"]), 4.0, **options).joint("D").angle
    assert abs(theirs[-1]) > 7.0
    assert ours == pytest.approx(-theirs, abs=1e-6)


def test_warned_of_also_where_a_device_divides_the_run():
    mech = drag_link()
    mech.motor("law", "D", LAWS["joints"])
    mech.limit("A", -100.0, 100.0)
    run = ct.simulate(mech.compile(coordinates="absolute"), 4.0, v={"A": 0.9}, output=41, rtol=1e-7, atol=1e-7)
    assert any(w.kind == "functions" for w in run.warnings)


def test_a_law_whose_joint_has_unknown_turns_is_warned_of():
    run = followed(LAWS["pid"], coordinates="absolute")
    (found,) = [w for w in run.warnings if w.kind == "functions"]
    assert str(found).startswith("motor 'law' takes the angle of joint 'D', which is cut")
    by_name = followed(LAWS["joints"], coordinates="absolute")
    assert [str(w)[:24] for w in by_name.warnings if w.kind == "functions"] == ["motor 'law' takes the an"]
    rates = followed(lambda rate: 3.0 - rate, coordinates="absolute")
    assert not [w for w in rates.warnings if w.kind == "functions"]
    mech = drag_link()
    mech.motor("law", "D", towards_ten)
    short = ct.simulate(mech.compile(coordinates="absolute"), 0.3, output=21)
    assert not short.warnings  # it has not turned so far


def test_turns_of_cut_joints_do_not_depend_on_rows():
    """Six rows for four turns: around a planar loop the other joints tell the turns."""
    mech = drag_link()
    mech.motor("push", "A", 2.0)
    few, many = (ct.simulate(mech.compile(cut=["A"]), 6.0, output=n).joint("A").angle[-1] for n in (6, 301))
    kept = ct.simulate(mech.compile(cut=["C"]), 6.0, output=6).joint("A").angle[-1]
    assert kept > 20.0
    assert [few, many] == pytest.approx([kept, kept], abs=1e-5)


def test_rows_too_far_apart_to_count_turns_are_warned_of():
    mech = drag_link()
    mech.motor("push", "A", 2.0)
    system = mech.compile(coordinates="absolute")
    far, near = ct.simulate(system, 6.0, output=4), ct.simulate(system, 6.0, output=301)
    with pytest.warns(
        ct.errors.RowsWarning, match="joint 'B' is cut, and its whole turns cannot be counted for certain"
    ):
        assert len(far.joint("B").angle) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert near.joint("A").angle[-1] > 20.0
        assert abs(near.joint("B").angle[-1]) < np.pi
