"""Forces of actuators with loops: forward dynamics with them returns the motion; the same by every route; what is refused."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import (
    ActuationError,
    ArgumentError,
    DuplicateNameError,
    ForceError,
    MotionError,
    NotFiniteError,
    ShapeError,
    SingularError,
    UnknownNameError,
)
from tests.closed_mechanisms import delta, five_bar, prrr3
from tests.descriptions import same_configuration, same_velocity, spatial_twists

from .test_forward import admissible_state, flat_state, in_system

ROBOTS = {
    "four-bar": (ct.gallery.four_bar, ["A"]),
    "four-bar by its coupler": (ct.gallery.four_bar, ["C"]),
    "four-bar, all joints": (ct.gallery.four_bar, ["A", "B", "C", "D"]),
    "five-bar": (lambda: five_bar().mechanism(), ["j0", "j4"]),
    "Stewart": (ct.gallery.stewart, [f"leg{i}" for i in range(1, 7)]),
    "Delta": (lambda: delta().mechanism(), ["R0", "R1", "R2"]),
    "Delta with rods": (lambda: delta(rods=True).mechanism(), ["R0", "R1", "R2"]),
    "3-PRRR": (lambda: prrr3().mechanism(), ["J00", "J10", "J20", "J11"]),
    "parallelogram": (lambda: ct.gallery.parallelogram(gravity=(0, -9.81, 0)), ["A", "D"]),
    "ladder": (lambda: ct.gallery.n_four_bar(3, angle=1.0), ["A0", "A1", "A2", "A3"]),
}


def random_acceleration(system, q, v, rng):
    """One that the constraints allow: that of forward dynamics under random forces."""
    return ct.forward_dynamics(system, q, v, 5.0 * rng.standard_normal(system.nv)).v_dot


def case(name, seed):
    make, actuators = ROBOTS[name]
    mech = make()
    system, rng = mech.compile(), np.random.default_rng(seed)
    q, v = admissible_state(system, seed)
    return mech, system, actuators, q, v, random_acceleration(system, q, v, rng)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ROBOTS)
def test_forward_dynamics_returns_the_motion(name, seed):
    _, system, actuators, q, v, v_dot = case(name, seed)
    if name == "Delta with rods":  # each rod may spin about itself, which no actuator of the arms does
        found = ct.actuator_forces(system, q, v, v_dot, actuators, least_squares=True)
    else:
        found = ct.actuator_forces(system, q, v, v_dot, actuators)
        assert np.abs(found.residual).max() < 1e-8 * np.abs(v_dot).max()
    assert list(found.forces) == actuators
    back = ct.forward_dynamics(system, q, v, found.tau).v_dot
    assert np.abs(back + found.residual - v_dot).max() < 1e-9 * np.abs(v_dot).max()


@pytest.mark.parametrize("name", ["four-bar", "four-bar by its coupler", "five-bar", "Stewart", "Delta", "ladder"])
def test_forces_are_the_same_by_every_route(name):
    """In relative coordinates, whatever is cut, and in absolute ones, where every actuated joint is cut."""
    mech, system, actuators, q, v, v_dot = case(name, 3)
    expected = ct.actuator_forces(system, q, v, v_dot, actuators).forces
    A = spatial_accelerations(system, q, v, v_dot)
    others = [mech.compile("absolute"), mech.compile("absolute", group="SO3xR3", regularize=False)]
    others += [mech.compile(cut=[actuators[0]])] if system.n_loops == 1 else []
    target = {body: ct.poses(system, q)[system.row_of(body)] for body in system.body_names}
    for other in others:
        x = same_configuration(other, target)
        u = same_velocity(other, x, spatial_twists(system, q, v))
        zero = spatial_accelerations(other, x, u, np.zeros(other.nv))
        a = same_velocity(other, x, {body: A[body] - zero[body] for body in A})
        found = ct.actuator_forces(other, x, u, a, actuators).forces
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-7)


def spatial_accelerations(system, q, v, v_dot):
    return dict(zip(("ground", *system.body_names), ct.accelerations(system, q, v, v_dot, "spatial"), strict=True))


@pytest.mark.parametrize("name", ["four-bar", "Stewart", "3-PRRR", "four-bar, all joints"])
def test_power_of_the_actuators_is_the_rate_of_energy(name):
    """By differences of the energy along the motion."""
    _, system, actuators, q, v, v_dot = case(name, 4)
    found = ct.actuator_forces(system, q, v, v_dot, actuators)
    h = 1e-3

    def energy(s):
        return ct.energy(system, ct.displace(system, q, s * v + 0.5 * s * s * v_dot), v + s * v_dot).total

    rate = (8.0 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12.0 * h)
    assert found.tau @ v == pytest.approx(rate, rel=1e-5, abs=1e-4)


def test_statics_of_the_four_bar():
    """The torque that holds it is the slope of its potential energy by the crank's angle."""
    system = ct.gallery.four_bar().compile()
    found = ct.actuator_forces(system, system.q0, actuators="A")
    q = [ct.assemble(system, system.q0 + s * np.eye(3)[system.velocity_index("A")], fixed="A") for s in (-1e-4, 1e-4)]
    slope = (ct.energy(system, q[1]).potential - ct.energy(system, q[0]).potential) / 2e-4
    assert found.forces["A"] == pytest.approx(slope, rel=1e-7)
    assert found.prestress.shape == (0, 1)


# -- more actuators than needed ------------------------------------------------------------------------------


def test_redundant_actuation():
    """Least norm, least weighted norm and preload, each against the conditions that define it; prestress moves nothing."""
    _, system, _, q, v, v_dot = case("parallelogram", 1)
    names = ["A", "D", "B", "C"]
    plain = ct.actuator_forces(system, q, v, v_dot, names)
    u = np.array([plain.forces[name] for name in names])
    assert plain.prestress.shape == (3, 4)
    assert np.abs(plain.prestress @ u).max() < 1e-9
    w = np.array([1.0, 4.0, 9.0, 0.25])
    weighted = ct.actuator_forces(system, q, v, v_dot, names, weights=w)
    x = np.array(list(weighted.forces.values()))
    assert np.abs(plain.prestress @ (w * x)).max() < 1e-9
    assert np.allclose(weighted.prestress * w @ weighted.prestress.T, np.eye(3))
    loaded = ct.actuator_forces(system, q, v, v_dot, names, bias={"A": 20.0, "D": -20.0})
    y = np.array(list(loaded.forces.values()))
    assert np.abs(plain.prestress @ (y - [20.0, -20.0, 0.0, 0.0])).max() < 1e-9
    for forces in (x, y, u + 3.0 * plain.prestress[1]):
        tau = system_forces(system, q, names, forces)
        assert np.abs(ct.forward_dynamics(system, q, v, tau).v_dot - v_dot).max() < 1e-9 * np.abs(v_dot).max()


def system_forces(system, q, names, forces):
    """tau of forces along joints, one of which is cut, from spatial Jacobians of the bodies on both sides."""
    tau, C = np.zeros(system.nv), ct.poses(system, q)
    for name, force in zip(names, forces, strict=True):
        joint = system.mechanism.joints[name]
        moment = force * C[system.row_of(joint.child)][:3, :3] @ np.array([0.0, 0.0, 1.0])
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if body != "ground":
                tau += sign * ct.spatial_jacobian(system, q, body)[:3].T @ moment
    return tau


def test_flat_parallelogram():
    """At the singular configuration one crank cannot choose the branch, two can."""
    system = ct.gallery.parallelogram(angle=0.0, gravity=(0, -9.81, 0)).compile()
    q, v = flat_state(system)
    v_dot = ct.forward_dynamics(system, q, v, np.arange(1.0, 4.0)).v_dot
    found = ct.actuator_forces(system, q, v, v_dot, ["A", "D"])
    assert found.prestress.shape == (0, 2)
    assert np.abs(ct.forward_dynamics(system, q, v, found.tau).v_dot - v_dot).max() < 1e-9 * np.abs(v_dot).max()
    with pytest.raises(ActuationError, match="actuators 'A' cannot produce this motion"):
        ct.actuator_forces(system, q, v, v_dot, ["A"])
    off = np.array([{"A": 1.0, "B": -2.0, "C": 0.0, "D": -1.0}[name] for name in system.coordinate_names])
    with pytest.raises(MotionError, match="loop 1"):
        ct.actuator_forces(system, q, off, {"A": 0.0, "D": 0.0}, ["A", "D"])


# -- fewer ---------------------------------------------------------------------------------------------------


def test_under_actuation():
    """The error names the motion out of reach; least squares comes as near as can be, in the metric of the mass matrix."""
    _, system, _, q, v, v_dot = case("five-bar", 2)
    with pytest.raises(ActuationError, match=r"actuators 'j0' cannot produce.* of 'j\d'.* cannot be reached"):
        ct.actuator_forces(system, q, v, v_dot, ["j0"])
    found = ct.actuator_forces(system, q, v, v_dot, ["j0"], least_squares=True)
    M = ct.mass_matrix(system, q)
    back = ct.forward_dynamics(system, q, v, found.tau).v_dot
    assert np.abs(back + found.residual - v_dot).max() < 1e-9 * np.abs(v_dot).max()
    best = found.residual @ M @ found.residual
    for change in (-0.1, 0.1):
        a = ct.forward_dynamics(system, q, v, found.tau + change * np.eye(system.nv)[system.velocity_index("j0")]).v_dot
        assert (a - v_dot) @ M @ (a - v_dot) > best
    with pytest.raises(ActuationError, match="actuators \\(none\\) cannot"):
        ct.actuator_forces(system, q, v, v_dot)


# -- accelerations by name, drivers, trees --------------------------------------------------------------------


def test_independent_accelerations():
    _, system, actuators, q, v, v_dot = case("Stewart", 5)
    names = [c for c in system.coordinate_names if c.startswith("leg")]
    some = {name: v_dot[system.velocity_index(name)] for name in names}
    found = ct.actuator_forces(system, q, v, some, actuators)
    assert np.abs(found.v_dot - v_dot).max() < 1e-8 * np.abs(v_dot).max()
    assert found.forces == pytest.approx(ct.actuator_forces(system, q, v, v_dot, actuators).forces, rel=1e-7)


def test_spherical_joints_and_trees():
    """A name of a joint stands for all its coordinates; a tree needs no loops, and a cut ball joint is one too."""
    mech = ct.gallery.stewart()
    tree = ct.Mechanism("tree")
    tree.body("b", 1.0, (0, 0, 1), (0.1, 0.2, 0.25))
    tree.joint("ball", tree.ground, "b", ct.Spherical((0, 0, 0)))
    system = tree.compile()
    v_dot = np.array([1.0, 2.0, 3.0])
    found = ct.actuator_forces(system, system.q0, [0.1, 0.2, 0.3], v_dot, "ball")
    expected = ct.inverse_dynamics(system, system.q0, [0.1, 0.2, 0.3], v_dot)
    assert found.forces == pytest.approx(dict(zip(("ball.wx", "ball.wy", "ball.wz"), expected, strict=True)))
    balls = [f"ball{i}" for i in range(1, 7)]
    system, other = mech.compile(cut=balls[1:]), mech.compile(cut=balls[:-1])
    q, v = admissible_state(system, 1)
    a = random_acceleration(system, q, v, np.random.default_rng(1))
    target = {body: ct.poses(system, q)[system.row_of(body)] for body in system.body_names}
    x = same_configuration(other, target)
    u = same_velocity(other, x, spatial_twists(system, q, v))
    A, zero = spatial_accelerations(system, q, v, a), spatial_accelerations(other, x, u, np.zeros(other.nv))
    b = same_velocity(other, x, {body: A[body] - zero[body] for body in A})
    actuators = ["ball1", "leg2", "leg3", "leg4"]  # ball1 is in the tree of the one, cut in the other
    one, two = ct.actuator_forces(system, q, v, a, actuators), ct.actuator_forces(other, x, u, b, actuators)
    assert one.forces == pytest.approx(two.forces, rel=1e-7, abs=1e-6)


def test_actuators_beside_drivers():
    """A driven crank leaves nothing to do; forces of the others are prestress."""
    mech = ct.gallery.four_bar()
    mech.drive("drive", "A", lambda t: 0.5 * t * t)
    system = mech.compile()
    v_dot = ct.forward_dynamics(system, system.q0).v_dot
    found = ct.actuator_forces(system, system.q0, None, v_dot, ["B", "D"])
    assert found.forces == {"B": 0.0, "D": 0.0}
    assert np.allclose(found.prestress @ found.prestress.T, np.eye(2))


# -- what is refused -----------------------------------------------------------------------------------------


def test_accelerations_that_close_no_loop():
    _, system, actuators, q, v, v_dot = case("four-bar", 0)
    with pytest.raises(MotionError, match=r"v_dot does not satisfy .*loop 1, cut at joint 'C'"):
        ct.actuator_forces(system, q, v, v_dot + np.array([0.0, 0.1, 0.0]), actuators)
    with pytest.raises(MotionError, match=r"v_dot of '[AB]' contradicts"):
        ct.actuator_forces(system, q, v, {"A": 1.0, "B": 1.0}, actuators)
    with pytest.raises(
        MotionError, match=r"leaves 1 motion of .* undetermined; name 1 independent coordinates .* of none"
    ):
        ct.actuator_forces(system, q, v, {}, actuators)
    with pytest.raises(NotFiniteError, match="v_dot"):
        ct.actuator_forces(system, q, v, [np.nan, 0.0, 0.0], actuators)
    with pytest.raises(UnknownNameError, match="no coordinate 'E'"):
        ct.actuator_forces(system, q, v, {"E": 1.0}, actuators)


def test_names_that_are_no_actuators():
    mech = ct.gallery.stewart()
    mech.body("lump", 1.0, (0, 0, 2), (0.1, 0.1, 0.1))
    mech.joint("weld", "platform", "lump", ct.Weld())
    system = mech.compile("absolute")
    with pytest.raises(UnknownNameError, match="no actuator 'Q'"):
        ct.actuator_forces(system, system.q0, actuators=["Q"])
    with pytest.raises(UnknownNameError, match="no actuator 3"):
        ct.actuator_forces(system, system.q0, actuators=[3])
    with pytest.raises(ForceError, match="'weld' is a weld"):
        ct.actuator_forces(system, system.q0, actuators=["weld"])
    for name in ("base1", "base1.w1"):
        with pytest.raises(ForceError, match=f"'{name}': joint 'base1' is cut"):
            ct.actuator_forces(system, system.q0, actuators=[name])
    with pytest.raises(DuplicateNameError, match="'leg1' is named twice"):
        ct.actuator_forces(system, system.q0, actuators=["leg1", mech.joints["leg1"]])
    with pytest.raises(ArgumentError, match="actuators is 5"):
        ct.actuator_forces(system, system.q0, actuators=5)


def test_weights_and_bias():
    system = ct.gallery.four_bar().compile()
    with pytest.raises(ForceError, match="weights: 'D' has 0"):
        ct.actuator_forces(system, system.q0, actuators=["A", "D"], weights={"D": 0.0})
    with pytest.raises(UnknownNameError, match="bias: there is no actuator 'B'"):
        ct.actuator_forces(system, system.q0, actuators=["A", "D"], bias={"B": 1.0})
    with pytest.raises(ShapeError, match="bias must be 2 finite numbers"):
        ct.actuator_forces(system, system.q0, actuators=["A", "D"], bias=[1.0])


def test_coordinate_without_inertia():
    mech = ct.Mechanism("bar")
    rod, bead = mech.body("rod", 1.0, (1, 0, 0), (0.1, 0.1, 0.1)), mech.body("bead", 1.0, (2, 0, 0), (0.0, 0.0, 0.0))
    mech.joint("hinge", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("spin", rod, bead, ct.Revolute((2, 0, 0), (1, 0, 0)))
    system = mech.compile()
    with pytest.raises(SingularError, match="'spin'"):
        ct.actuator_forces(system, system.q0, actuators=["hinge", "spin"])


def test_states_in_absolute_coordinates_agree():
    """The check of this file's own route: in_system and same_configuration find the same state."""
    mech, system, _, q, v, _ = case("four-bar", 2)
    other = mech.compile("absolute")
    x, u = in_system(system, other, q, v)
    target = {body: ct.poses(system, q)[system.row_of(body)] for body in system.body_names}
    assert np.abs(np.abs(same_configuration(other, target)) - np.abs(x)).max() < 1e-9
    assert np.abs(same_velocity(other, x, spatial_twists(system, q, v)) - u).max() < 1e-9


@pytest.mark.parametrize("gravity", [(0.0, -9.81, 0.0), (0.0, 0.0, 0.0)])
def test_accelerations_of_a_locked_joint_are_taken(gravity):
    """What forward dynamics leaves of a coordinate that is held is rounding, however little the others move."""
    mech = ct.gallery.planar_3r()
    mech.gravity = np.array(gravity)
    system = mech.compile()
    for k in range(5):
        q = np.array([0.3, -0.8, 0.5]) * (k + 1)
        locks = ["J2"] if k < 4 else ["J1", "J2", "J3"]
        there = ct.transition(system, q, np.array([0.4, 0.1, -0.7]) * k, locks)
        tau = np.array([5.0, 7.0, 1.0])
        v_dot = ct.forward_dynamics(there.system, q, there.v, tau).v_dot
        free = ["J1", "J3"] if k < 4 else []
        found = ct.actuator_forces(there.system, q, there.v, v_dot, actuators=free)
        assert found.tau[[0, 2]] == pytest.approx([5.0, 1.0] if free else [0.0, 0.0], rel=1e-9)
        v_dot[1] += 1e-3 * max(1.0, np.abs(v_dot).max())
        with pytest.raises(MotionError, match="lock J2"):
            ct.actuator_forces(there.system, q, there.v, v_dot, actuators=free)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_a_motion_of_its_own_needs_no_force(coordinates):
    """With fewer actuators than motions: rounding of forces that cancel was taken for a motion out of reach."""
    for mech, lock, actuator in ((ct.gallery.five_bar(), "A1", "B1"), (ct.gallery.planar_3r(), "J1", "J2")):
        mech.lock(lock)
        system = mech.compile(coordinates=coordinates)
        v_dot = ct.forward_dynamics(system, system.q0).v_dot
        found = ct.actuator_forces(system, system.q0, np.zeros(system.nv), v_dot, [actuator])
        assert abs(found.forces[actuator]) < 1e-10
        with pytest.raises(ActuationError, match="cannot produce"):
            ct.actuator_forces(system, system.q0, np.zeros(system.nv), (1 + 1e-5) * v_dot, [actuator])
