"""Coordinates and rates by name, of tree and cut joints; drivers far away; gears of any ratio."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import AssemblyError, MotionError, ShapeError, UnknownNameError
from tests.model.builders import four_bar

Z = (0, 0, 1)


def geared(ratio):
    """A pendulum and a rotor; the rotor turns `ratio` times as fast."""
    mech = ct.Mechanism("geared")
    mech.body("rod", 1, (0, 0, -0.5), (0.1, 0.1, 0.1))
    mech.body("rotor", 0.1, (0, 0, 0), (1e-4, 1e-4, 1e-4))
    mech.joint("pin", "ground", "rod", ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.joint("rotor", "ground", "rotor", ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.gear("gearbox", "rotor", "pin", ratio)
    return mech.compile()


def slider():
    mech = ct.Mechanism("slider")
    mech.body("block", 1, (0, 0, 0), (1, 1, 1))
    mech.joint("x", "ground", "block", ct.Prismatic((1, 0, 0)))
    return mech


def loose(coordinates="relative", group="SE3"):
    """A free body and one on a ball joint."""
    mech = ct.Mechanism("loose")
    mech.body("base", 1, (0, 0, 0), (1, 1, 1))
    mech.body("bob", 1, (0, 0, -1), (1, 1, 1))
    mech.joint("base", "ground", "base", ct.Free())
    mech.joint("ball", "base", "bob", ct.Spherical((0, 0, -0.5)))
    mech.distance("wire", "ground", (2, 0, 0), "bob", (0, 0, -1))
    return mech.compile(coordinates, group)


@pytest.mark.parametrize("ratio", [1e-4, 0.02, 1.0, 30.0, 100.0, 1e4])
@pytest.mark.parametrize("name", ["pin", "rotor"])
def test_gears_of_any_ratio(ratio, name):
    q = ct.assemble(geared(ratio), {name: 0.5})
    pin = 0.5 if name == "pin" else 0.5 / ratio
    np.testing.assert_allclose(q, [pin, ratio * pin], rtol=1e-13)
    v = ct.consistent_velocity(geared(ratio), q, {name: 0.5})
    np.testing.assert_allclose(v, q, rtol=1e-13)


@pytest.mark.parametrize("value", [-50.0, 50.0, 1e3, 1e6, 1e9])
def test_drivers_far_away(value):
    mech = slider()
    mech.drive("d", "x", value)
    assert ct.assemble(mech.compile(), [0.0]) == pytest.approx([value], rel=1e-15)


@pytest.mark.parametrize("turns", [-8, 0, 8, 160_000])
def test_a_crank_that_has_turned_often(turns):
    """Whole turns leave the other joints where they are, on their branch."""
    angle = 2.0 * np.pi * turns + 0.3
    crank = four_bar()
    crank.drive("d", "A", lambda t: angle + t)
    system = crank.compile()
    q, near = ct.assemble(system, system.q0, t=0.1), ct.assemble(four_bar().compile(), {"A": 0.4})
    assert q[system.q_index("A")] == pytest.approx(angle + 0.1, rel=1e-15)
    np.testing.assert_allclose(q[1:], near[1:], atol=1e-8)


def test_a_run_that_starts_late_in_its_drive():
    mech = slider()
    mech.drive("d", "x", lambda t: 2.0 * t)
    run = ct.simulate(mech, (100.0, 101.0))
    assert run.q[0] == pytest.approx([200.0], rel=1e-12)
    assert run.q[-1] == pytest.approx([202.0], rel=1e-12)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("joint", ["A", "B", "C", "D"])
def test_joints_of_the_tree_and_cut_ones(joint, coordinates):
    """Angle and rate of a joint are what its bodies show."""
    mech = four_bar()
    system = mech.compile(coordinates)
    q = ct.assemble(system, {joint: 0.2})
    v = ct.consistent_velocity(system, q, {joint: -0.7})
    connection = mech.joints[joint]
    a, b = (0 if n == "ground" else system.row_of(n) for n in (connection.parent, connection.child))
    C, V = ct.poses(system, q), ct.twists(system, q, v, "spatial")
    R = C[a, :3, :3].T @ C[b, :3, :3]
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(0.2, abs=1e-12)
    assert (V[b] - V[a])[2] == pytest.approx(-0.7, abs=1e-12)
    assert np.abs(ct.constraint_residual(system, q)).max() < 1e-12
    held = ct.assemble(system, q, fixed=joint)
    np.testing.assert_allclose(held, q, atol=1e-12)
    np.testing.assert_allclose(ct.consistent_velocity(system, q, v, fixed=[joint]), v, atol=1e-12)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_entries_of_group_elements(group):
    system = loose(group=group)
    half = np.sqrt(0.5)
    q = ct.assemble(system, {"base.z": 0.3, "ball": [half, half, 0, 0]})
    assert q[system.q_index("base.z")] == 0.3
    np.testing.assert_allclose(q[system.q_index("ball.qw") :][:4], [half, half, 0, 0], atol=1e-15)
    assert np.abs(ct.constraint_residual(system, q)).max() < 1e-12
    turned = ct.assemble(system, {"base": [half, 0, half, 0, 0.1, 0.2, 0.3]})
    np.testing.assert_allclose(turned[system.q_index("base.qw") :][:7], [half, 0, half, 0, 0.1, 0.2, 0.3], atol=1e-15)
    v = ct.consistent_velocity(system, q, {"base.wx": 0.4, "ball": [0.0, 0.1, 0.2]})
    assert v[system.v_index("base.wx")] == 0.4
    np.testing.assert_array_equal(v[system.v_index("ball.wx") :][:3], [0.0, 0.1, 0.2])


def test_names_and_places():
    system = loose()
    assert system.q_names[:4] == ("base.qw", "base.qx", "base.qy", "base.qz")
    assert system.v_names == system.coordinate_names
    assert [system.q_index(n) for n in system.q_names] == list(range(system.nq))
    assert [system.v_index(n) for n in system.v_names] == list(range(system.nv))
    with pytest.raises(UnknownNameError, match=r"no coordinate 'base.a' .* did you mean 'base.z'"):
        system.q_index("base.a")
    with pytest.raises(UnknownNameError, match="joint 'C' is cut"):
        four_bar().compile().v_index("C")


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"a": 0.1}, UnknownNameError, "no coordinate 'a'.*there are 'A', 'B', 'D', 'C'"),
        ({3: 0.1}, UnknownNameError, "no coordinate 3"),
        ({"A.w": 0.1}, UnknownNameError, "no coordinate 'A.w'"),
        ({"A": "x"}, ShapeError, "give a number"),
        ({"A": [1, 2]}, ShapeError, "give a number"),
        ({"A": np.inf}, ShapeError, "finite"),
    ],
)
def test_names_and_values_that_are_none(values, error, words):
    system = four_bar().compile()
    for call in (lambda: ct.assemble(system, values), lambda: ct.consistent_velocity(system, system.q0, values)):
        with pytest.raises(error, match=words):
            call()


def test_quaternions_are_given_whole():
    with pytest.raises(ShapeError, match=r"a quaternion of joint 'ball' has four components; give all of 'ball.qw'"):
        ct.assemble(loose(), {"ball.qx": 0.1})


def test_values_that_cannot_be_had():
    system = four_bar().compile()
    with pytest.raises(AssemblyError, match="cut at joint 'C' cannot be closed with 'A', 'B' held: a gap of"):
        ct.assemble(system, {"A": 0.5, "B": 0.5})
    with pytest.raises(AssemblyError, match=r"require contradictory velocities with 'A', 'B' held; residual "):
        ct.consistent_velocity(system, system.q0, {"A": 1.0, "B": 1.0})


def test_rates_at_a_singular_configuration():
    """Flat, a parallelogram has two branches; a rate goes with one of them, and two rates that belong to none are refused."""
    system = ct.gallery.parallelogram(angle=0.0).compile()
    v = ct.consistent_velocity(system, system.q0, {"A": 2.0})
    assert v[system.v_index("A")] == 2.0
    ct.consistent_velocity(system, system.q0, v, branches="require")
    names = [n for n in system.v_names if n != "A"]
    with pytest.raises(MotionError, match="no motion was found that starts with 'A'"):
        ct.consistent_velocity(system, system.q0, {"A": 1.0, names[-1]: 0.3})
