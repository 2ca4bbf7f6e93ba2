"""Rotors on joints: in every number that inertia is a part of, against a rotor that is a body of its own, and in files."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import DocumentError, ForceError
from cotree.io.mjcf import mjcf_text, read_mjcf
from cotree.io.urdf import import_urdf

FORMULATIONS = ("index1", "projection", "voronets", "odca")
I, N = 0.02, 5.0  # the rotor on joint A reflects 0.5


def four_bar():
    mech = ct.gallery.four_bar()
    mech.joint_inertia("rotor", "A", I, N)
    mech.joint_inertia("other", "B", 0.3)
    return mech


@pytest.fixture(scope="module")
def moving():
    system, rng = four_bar().compile(), np.random.default_rng(4)
    q = ct.assemble(system, system.q0 + 0.2 * rng.standard_normal(system.nv))
    return system, q, ct.consistent_velocity(system, q, 3.0 * rng.standard_normal(system.nv)), rng.standard_normal(3)


def test_mass_inverse_dynamics_and_energy(moving):
    system, q, v, a = moving
    bare, R = ct.gallery.four_bar().compile(), np.diag([0.5, 0.3, 0.0])
    assert system.coordinate_names == bare.coordinate_names == ("A", "B", "D")
    np.testing.assert_allclose(ct.mass_matrix(system, q) - ct.mass_matrix(bare, q), R, atol=1e-13)
    added = ct.inverse_dynamics(system, q, v, a) - ct.inverse_dynamics(bare, q, v, a)
    np.testing.assert_allclose(added, R @ a, atol=1e-12)
    added = ct.energy(system, q, v).kinetic - ct.energy(bare, q, v).kinetic
    assert added == pytest.approx(0.5 * v @ R @ v, rel=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forward_dynamics(moving, formulation):
    """M v_dot + J^T lam = forces, with rows that hold."""
    system, q, v, _ = moving
    found = ct.forward_dynamics(system, q, v, formulation=formulation)
    J, zero = ct.constraint_jacobian(system, q), np.zeros(3)
    K = np.block([[ct.mass_matrix(system, q), J.T], [J, np.zeros((2, 2))]])
    known = np.append(-ct.inverse_dynamics(system, q, v, zero), ct.constraint_bias(system, q, v))
    np.testing.assert_allclose(found.v_dot, np.linalg.solve(K, known)[:3], atol=1e-11)
    np.testing.assert_allclose(found.multipliers, np.linalg.solve(K, known)[3:], atol=1e-10)


@pytest.mark.parametrize("formulation", ["auto", "odca"])
def test_trees_and_balls(formulation):
    """Articulated bodies and divisions against the mass matrix; a ball with the same inertia about all axes."""
    mech, rng = ct.gallery.planar_3r(), np.random.default_rng(2)
    mech.q_start = mech.v_start = None
    first, *_, last = mech.joints
    body = mech.body("ball", 1.0, (3.0, 0.2, 0.1), (0.1, 0.2, 0.15))
    mech.joint("socket", list(mech.bodies)[2], body, ct.Spherical((2.9, 0.0, 0.0)))
    mech.joint_inertia("a", first, 0.5)
    mech.joint_inertia("b", last, 0.25)
    for c in ("wx", "wy", "wz"):
        mech.joint_inertia(c, "socket", 0.4, coordinate=c)
    system = mech.compile()
    q = ct.displace(system, system.q0, rng.standard_normal(system.nv))
    v, tau = rng.standard_normal((2, system.nv))
    found = ct.forward_dynamics(system, q, v, tau, formulation=formulation).v_dot
    np.testing.assert_allclose(ct.inverse_dynamics(system, q, v, found), tau, atol=1e-10)
    run = ct.simulate(system, 0.5, q, v, formulation=formulation, rtol=1e-11, atol=1e-11)
    assert np.ptp(run.energy.total) < 1e-8


def test_derivatives(moving):
    system, q, v, a = moving
    np.testing.assert_allclose(
        ct.inverse_dynamics_derivatives(system, q, v, a).da, ct.mass_matrix(system, q), atol=1e-12
    )
    mech = ct.gallery.planar_3r()
    mech.joint_inertia("r", list(mech.joints)[1], 0.7)
    tree, h = mech.compile(), 1e-6
    q, v, tau = np.random.default_rng(1).standard_normal((3, 3))
    found = ct.forward_dynamics_derivatives(tree, q, v, tau)

    def change(x, u, f):
        after, before = (ct.forward_dynamics(tree, q + s * x, v + s * u, tau + s * f).v_dot for s in (h, -h))
        return (after - before) / (2 * h)

    for k, e in enumerate(np.eye(3)):
        np.testing.assert_allclose(found.dq[:, k], change(e, 0, 0), atol=1e-7)
        np.testing.assert_allclose(found.dv[:, k], change(0, e, 0), atol=1e-7)
        np.testing.assert_allclose(found.dtau[:, k], change(0, 0, e), atol=1e-7)


@pytest.mark.parametrize("formulation", ["auto", "odca"])
def test_a_rotor_that_is_a_body(formulation):
    """On ground a rotor geared to the crank has neither weight that matters nor gyroscopic moments."""
    mech, other = ct.gallery.four_bar(), ct.gallery.four_bar()
    mech.joint_inertia("rotor", "A", I, N)
    wheel = other.body("wheel", 1e-9, (0, 0, 0), (I, I, I))
    other.joint("axle", other.ground, wheel, ct.Revolute((0, 0, 0), (0, 0, 1)))
    other.gear("gears", "axle", "A", N)
    tight = {"rtol": 1e-11, "atol": 1e-11}
    a = ct.simulate(mech, 2.0, formulation=formulation, v={"A": 1.0}, **tight)
    b = ct.simulate(other, 2.0, v={"A": 1.0}, **tight)
    np.testing.assert_allclose(a.joint("A").angle, b.joint("A").angle, atol=1e-8)
    np.testing.assert_allclose(a.energy.total - a.energy.total[0], 0.0, atol=1e-8)
    assert a.energy.kinetic[0] == pytest.approx(b.energy.kinetic[0], rel=1e-8)
    rotor = a.element("rotor")
    rate = a.joint("A").rate
    np.testing.assert_allclose(rotor.work, -0.25 * (rate**2 - rate[0] ** 2), atol=1e-8)
    np.testing.assert_allclose(rotor.torque, -0.5 * a.joint("A").acceleration, atol=1e-12)


def test_closed_form():
    """A torque on a disk with a geared rotor: it turns by t^2 tau / (2 (J + N^2 I))."""
    mech = ct.Mechanism("disk", gravity=(0, 0, 0))
    disk = mech.body("disk", 2.0, (0, 0, 0), (0.3, 0.3, 0.6))
    mech.joint("pin", mech.ground, disk, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint_inertia("rotor", "pin", I, N)
    mech.motor("m", "pin", 1.1)
    run = ct.simulate(mech, 2.0)
    np.testing.assert_allclose(run.joint("pin").angle, 0.5 * run.t**2 * 1.1 / 1.1, atol=1e-9)
    books = run.energy
    np.testing.assert_allclose(books.total - books.total[0], books.supplied, atol=1e-9)


def test_what_is_refused():
    mech = four_bar()
    with pytest.raises(ForceError, match="joint inertia 'x': inertia is -1"):
        mech.joint_inertia("x", "A", -1.0)
    with pytest.raises(ForceError, match="ratio 0"):
        mech.joint_inertia("x", "A", 1.0, 0.0)
    with pytest.raises(ForceError, match="joint inertia 'rotor': joint 'A' is cut"):
        mech.compile(cut=["A"])
    with pytest.raises(ForceError, match=r"joint 'A' is cut.*relative coordinates"):
        mech.compile("absolute")
    with pytest.raises(AttributeError, match="joint_inertia"):
        mech.armature("x", "A", 1.0)
    free = ct.Mechanism()
    free.joint("j", free.ground, free.body("b", 1.0, inertia=(1, 1, 1)), ct.Free())
    free.joint_inertia("x", "j", 1.0, coordinate="wx")
    with pytest.raises(ForceError, match="joint inertia 'x': joint 'j' has several motions at once"):
        free.compile()


# -- files ----------------------------------------------------------------------------------------------------


def test_model_files(tmp_path):
    mech = four_bar()
    ct.save(mech, tmp_path / "bars.yaml")
    assert ct.load(tmp_path / "bars.yaml").joint_forces == mech.joint_forces


def arm():
    mech = ct.Mechanism("arm")
    upper = mech.body("upper", 1.0, (0, 0, -0.3), (0.1, 0.1, 0.01))
    lower = mech.body("lower", 0.7, (0, 0, -0.9), (0.1, 0.1, 0.01))
    mech.joint("shoulder", mech.ground, upper, ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.joint("elbow", upper, lower, ct.Revolute((0, 0, -0.6), (0, 1, 0)))
    mech.joint_inertia("rotor", "elbow", 1e-4, 100.0)
    return mech


def test_urdf(tmp_path):
    mech = arm()
    ct.save(mech, tmp_path / "arm.urdf")
    again = ct.load(tmp_path / "arm.urdf")
    (rotor,) = again.joint_forces.values()
    assert (rotor.joint, rotor.inertia, rotor.ratio) == ("elbow", 1e-4, 100.0)
    mech.joint_inertia("second", "elbow", 0.5)
    ct.save(mech, tmp_path / "both.urdf")
    (rotor,) = ct.load(tmp_path / "both.urdf").joint_forces.values()
    assert rotor.reflected == pytest.approx(1.5)
    text = (tmp_path / "arm.urdf").read_text()
    assert "transmission" not in " ".join(import_urdf(tmp_path / "arm.urdf").mechanism.notes)
    (tmp_path / "wrong.urdf").write_text(text.replace('<joint name="elbow"/>', '<joint name="knee"/>'))
    with pytest.raises(DocumentError, match="transmission 'elbow transmission': joint 'knee' is not a joint of one"):
        ct.load(tmp_path / "wrong.urdf")


def test_mjcf_accelerations_are_mujocos():
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><worldbody><body pos="0 0 1"><joint name="a" type="hinge" axis="0 1 0" armature="0.3"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 -0.4" size="0.05"/><body pos="0.3 0 -0.4">
      <joint name="b" type="ball" armature="0.07"/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0"/>
      <body pos="0.1 0.2 0.3"><joint name="c" type="slide" axis="1 0 1" armature="2"/>
      <geom type="sphere" size="0.1" pos="0 0.1 0"/></body></body></body></worldbody></mujoco>"""
    mech = read_mjcf(text)
    system, model = mech.compile(), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:] = 0.3, 0.5, -0.7, 0.9, -0.4
    mujoco.mj_forward(model, data)
    found = ct.forward_dynamics(system, system.q0, data.qvel.copy()).v_dot
    np.testing.assert_allclose(found, data.qacc_smooth, rtol=1e-10, atol=1e-10)
    again = read_mjcf(mjcf_text(mech))
    same = ct.forward_dynamics(again, system.q0, data.qvel.copy()).v_dot
    np.testing.assert_allclose(same, found, rtol=1e-10)
    uneven = read_mjcf(text)
    uneven.joint_inertia("more", "b", 0.1, coordinate="wx")
    with pytest.raises(DocumentError, match="joint 'b' are not equal"):
        mjcf_text(uneven)
