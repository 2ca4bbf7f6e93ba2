"""Sensors against differences in time, other coordinates, balances and closed forms."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, ShapeError, UnknownNameError

from .rigs import chain, loaded_four_bar, slope, unbalanced


@pytest.fixture(scope="module")
def four_bar():
    return ct.simulate(loaded_four_bar().compile(cut=["C"]), 1.0, rtol=1e-11, atol=1e-11, output=1001)


@pytest.fixture(scope="module")
def chains():
    """The same motion with the joints in the tree and with all joints cut."""
    made = [chain().compile(coordinates=c) for c in ("relative", "absolute")]
    return [ct.simulate(s, 0.4, rtol=1e-11, atol=1e-11, output=401) for s in made]


def test_joints_in_the_tree_and_cut_agree_with_differences(four_bar):
    assert four_bar.joint("C").is_cut
    for name in "ABCD":
        j = four_bar.joint(name)
        np.testing.assert_allclose(slope(four_bar.t, j.angle), j.rate[2:-2], atol=2e-8)
        np.testing.assert_allclose(slope(four_bar.t, j.rate), j.acceleration[2:-2], atol=2e-6)
    np.testing.assert_array_equal(four_bar.joint("A").angle, four_bar.q[:, four_bar.system.q_index("A")])
    np.testing.assert_allclose(four_bar.joint("A").degrees, np.degrees(four_bar.joint("A").position))


@pytest.mark.parametrize("k", range(6))
def test_joints_read_the_same_in_all_coordinates(chains, k):
    tree, cut = (run.joint(f"J{k}") for run in chains)
    assert cut.is_cut
    assert not tree.is_cut
    assert len(cut.names) == len(tree.names)
    assert cut.angle_units == tree.angle_units
    assert np.ptp(tree.angle, axis=0).min() > 1e-4
    np.testing.assert_allclose(cut.angle, tree.angle, atol=3e-8)
    np.testing.assert_allclose(cut.rate, tree.rate, atol=3e-7)
    np.testing.assert_allclose(cut.acceleration, tree.acceleration, atol=3e-5, rtol=1e-6)


def test_points_and_orientations_agree_with_differences(chains):
    run = chains[0]
    p, o = run.point("b5", (2.3, 0.2, 0.1), name="tip"), run.orientation("b5")
    poses = run.poses()[:, run.system.row_of("b5")]
    np.testing.assert_allclose(p.position, poses[:, :3, :3] @ (2.3, 0.2, 0.1) + poses[:, :3, 3], atol=1e-12)
    np.testing.assert_allclose(slope(run.t, p.position), p.velocity[2:-2], atol=1e-6)
    np.testing.assert_allclose(slope(run.t, p.velocity), p.acceleration[2:-2], atol=1e-4)
    np.testing.assert_allclose(o.matrix, poses[:, :3, :3], atol=1e-12)
    turned = slope(run.t, o.matrix) @ np.swapaxes(o.matrix[2:-2], 1, 2)
    np.testing.assert_allclose(turned[:, 1, 0], o.angular_velocity[2:-2, 2], atol=1e-6)
    np.testing.assert_allclose(slope(run.t, o.angular_velocity), o.angular_acceleration[2:-2], atol=1e-4)
    np.testing.assert_allclose(ct.lie.rotation_of_quaternion(o.quaternion), o.matrix, atol=1e-12)
    np.testing.assert_allclose(ct.lie.exp_so3(o.rotation_vector), o.matrix, atol=1e-10)
    d = run.distance("ground", (1, 1, 1), "b5", (2.3, 0.2, 0.1))
    np.testing.assert_allclose(slope(run.t, d.distance), d.rate[2:-2], atol=1e-6)


def test_bodies_are_in_balance(four_bar, chains):
    for run in (four_bar, *chains):
        weights = [b.properties.mass * 9.81 for b in run.system.mechanism.bodies.values()]
        for name, rest in unbalanced(run).items():
            assert np.abs(rest).max() < 1e-8 * max(weights), name


def test_a_pin_without_friction_carries_no_moment_about_its_axis(four_bar):
    mech = four_bar.system.mechanism
    for name in "ABCD":
        own, joint = four_bar.reaction(name), four_bar.reaction(name, axes="joint")
        at = np.array(mech.joints[name].joint.point)
        np.testing.assert_allclose(own.at, four_bar.point(mech.joints[name].child, at).position, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(joint.force, axis=1), own.magnitude, atol=1e-9)
    np.testing.assert_allclose(four_bar.reaction("B").moment, 0.0, atol=1e-9)
    damped = four_bar.reaction("C", axes="joint").moment[:, 2]
    np.testing.assert_allclose(damped, -0.7 * four_bar.joint("C").rate, atol=1e-9)
    parent = four_bar.reaction("B", axes="parent")
    turn = -four_bar.joint("B").angle
    child = four_bar.reaction("B", axes="joint").force
    np.testing.assert_allclose(parent.force[:, 0], np.cos(turn) * child[:, 0] + np.sin(turn) * child[:, 1], atol=1e-8)


def test_reactions_about_points_of_the_world(four_bar):
    rows = range(0, 1001, 250)
    for name in "ABCD":
        states = [(four_bar.system, four_bar.q[k], four_bar.v[k], None, "auto", four_bar.t[k]) for k in rows]
        old = np.array([ct.forward_dynamics(*s).reaction(name) for s in states])
        np.testing.assert_allclose(four_bar.reactions(name)[rows], old, atol=1e-9)
        point = np.array([0.3, -0.2, 0.7])
        about = four_bar.reaction(name, point)
        np.testing.assert_allclose(about.moment[rows], old[:, :3] - np.cross(point, old[:, 3:]), atol=1e-9)
        np.testing.assert_allclose(four_bar.reaction(name, np.tile(point, (1001, 1))).moment, about.moment, atol=1e-12)


def test_energy_by_body(chains):
    for run in chains:
        e = [run.body_energy(name) for name in run.system.body_names]
        np.testing.assert_allclose(sum(x.kinetic for x in e), run.energy.kinetic, rtol=1e-12, atol=1e-12)
        s = run.element("hold")
        springs = 0.5 * 60.0 * (s.length - 0.5) ** 2 + 15.0 * run.joint("J2").angle[:, 1] ** 2
        springs += 15.0 * run.joint("J5").angle ** 2
        np.testing.assert_allclose(sum(x.potential for x in e) + springs, run.energy.potential, atol=1e-10)
        np.testing.assert_allclose(e[0].total, e[0].kinetic + e[0].potential)


def test_a_state_reads_as_a_row(four_bar):
    k = 700
    q, v, t, system = four_bar.q[k], four_bar.v[k], four_bar.t[k], four_bar.system
    one = ct.measure(system, q, v, t)
    assert one.joint("C").rate == pytest.approx(four_bar.joint("C").rate[k], abs=1e-12)
    assert np.ndim(one.joint("C").angle) == 0
    np.testing.assert_allclose(one.point("rocker").acceleration, four_bar.point("rocker").acceleration[k], atol=1e-10)
    np.testing.assert_allclose(one.reaction("B").force, four_bar.reaction("B").force[k], atol=1e-9)
    assert one.element("s").power == pytest.approx(four_bar.element("s").power[k])
    many = ct.measure(four_bar.system.mechanism, four_bar.q[:3], four_bar.v[:3])
    assert many.reaction("D").force.shape == (3, 3)
    assert ct.measure(system, q).joint("A").rate == 0.0


def test_wrong_names_and_shapes(four_bar):
    with pytest.raises(UnknownNameError, match="no joint 'E'"):
        four_bar.joint("E")
    with pytest.raises(UnknownNameError, match="no element 'spring'"):
        four_bar.element("spring")
    with pytest.raises(UnknownNameError, match="there is reaction"):
        four_bar.element("A")
    with pytest.raises(UnknownNameError, match="'ground' has no energy"):
        four_bar.body_energy("ground")
    with pytest.raises(ShapeError, match="point of body 'crank'"):
        four_bar.point("crank", (1, 2))
    with pytest.raises(ShapeError, match="reaction of joint 'A'"):
        four_bar.reaction("A", (1, 2))
    with pytest.raises(ChoiceError, match="axes"):
        four_bar.reaction("A", axes="body")
    with pytest.raises(ShapeError, match="must be 3 numbers"):
        ct.measure(four_bar.system, [1.0])
    with pytest.raises(ShapeError, match="as many of both"):
        ct.measure(four_bar.system, four_bar.q[:2], four_bar.v[:3])
    with pytest.raises(ArgumentError, match="give readings"):
        ct.sensors.to_csv("nowhere.csv")
    with pytest.raises(ArgumentError, match="different times"):
        ct.sensors.to_csv("nowhere.csv", four_bar.joint("A"), ct.measure(four_bar.system, four_bar.q[0]).joint("A"))


def test_tables_by_name(four_bar, tmp_path):
    readings = four_bar.joint("A"), four_bar.point("coupler", name="P"), four_bar.element("s")
    path = tmp_path / "x.csv"
    ct.sensors.to_csv(path, *readings)
    first, *rows = path.read_text().splitlines()
    assert first.split(",")[:3] == ["time [s]", "A.angle [rad]", "A.rate [rad/s]"]
    assert "P.velocity.y [m/s]" in first
    assert float(rows[10].split(",")[1]) == four_bar.joint("A").angle[10]
    data = ct.sensors.to_xarray(*readings)
    np.testing.assert_array_equal(data["P.position.z"], four_bar.point("coupler").position[:, 2])
    assert data["s.work"].attrs["units"] == "J"
    assert list(four_bar.joint("A").to_dataframe().columns) == ["A.angle", "A.rate", "A.acceleration"]
    several = ct.measure(chain(), np.zeros((2, chain().compile().nq)) + chain().compile().q0).joint("J1")
    assert several.to_xarray()["J1.wx.angle"].attrs["units"] == "rad"
    four_bar.joint("A").to_csv(path)
    four_bar.element("s").plot(tmp_path / "s.png")
    assert (tmp_path / "s.png").exists()
    assert "angle [rad]" in repr(four_bar.joint("A"))


def test_names_of_the_module_are_suggested():
    with pytest.raises(ct.errors.MissingAttributeError, match="did you mean 'to_csv'"):
        ct.sensors.to_cvs  # noqa: B018


def test_names_that_are_not_texts_are_refused(four_bar):
    for read in (
        lambda: four_bar.point("coupler", name=np.eye(3)),
        lambda: four_bar.distance("crank", (0, 0, 0), "rocker", (0, 0, 0), 1.0),
    ):
        with pytest.raises(ShapeError, match="give a text"):
            read()
    with pytest.raises(UnknownNameError, match="no element"):
        four_bar.element(np.eye(3))
