"""Many states in one call: leading axes, on lanes, beside one call for each state."""

import numpy as np
import pytest

import cotree as ct
from cotree.dynamics.batches import many_forward_dynamics
from cotree.errors import NotFiniteError, ShapeError, SingularError
from cotree.system import batches
from tests.extending.attraction import Attraction
from tests.random_mechanisms import error, random_state, random_tree

FUNCTIONS = {
    "poses": (ct.poses, "q"),
    "twists": (ct.twists, "qv"),
    "spatial twists": (lambda s, q, v: ct.twists(s, q, v, "spatial"), "qv"),
    "accelerations": (ct.accelerations, "qva"),
    "mass_matrix": (ct.mass_matrix, "q"),
    "inverse_dynamics": (ct.inverse_dynamics, "qva"),
    "forward_dynamics": (lambda *x: ct.forward_dynamics(*x).v_dot, "qvf"),
    "kinetic": (lambda *x: ct.energy(*x).kinetic, "qv"),
    "total": (lambda *x: ct.energy(*x).total, "qv"),
    "momentum": (lambda s, q, v: ct.momentum(s, q, v, point=(0.1, 0.2, 0.3)), "qv"),
    "mass centre": (lambda *x: ct.center_of_mass(*x).position, "qv"),
    "its velocity": (lambda *x: ct.center_of_mass(*x).velocity, "qv"),
    "coriolis_matrix": (ct.theory.coriolis_matrix, "qv"),
    "spatial_jacobian": (lambda s, q: ct.spatial_jacobian(s, q, s.body_names[-1]), "q"),
    "jacobian_derivative": (lambda s, q, v: ct.jacobian_derivative(s, q, v, body=1), "qv"),
    "coordinate_rates": (ct.theory.coordinate_rates, "qv"),
    "displace": (ct.displace, "qv"),
    "constraint_residual": (ct.constraint_residual, "q"),
    "constraint_bias": (lambda s, q, v: ct.constraint_bias(s, q=q, v=v, t=0.1), "qv"),
}


def furnished(seed):
    """A random tree of all joints and coordinates, half of them with springs, loads, motors and dampers."""
    rng = np.random.default_rng(seed)
    mech = random_tree(rng, 1 + seed % 6).mechanism()
    if seed % 2:
        first, last = next(iter(mech.bodies)), list(mech.bodies)[-1]
        mech.spring("spring", "ground", (1.0, 2.0, 3.0), last, (0.1, 0.2, 0.3), 40.0, 0.5, damping=0.7)
        mech.force("force", first, (1.0, 2.0, 3.0), (0.1, 0.0, 0.0))
        mech.torque("moment", last, (1.0, 0.0, 0.3))
        for name, c in mech.joints.items():
            if c.joint.dof == 1:
                mech.joint_damper(f"damper {name}", name, 0.3)
                mech.joint_spring(f"spring {name}", name, 3.0, 0.1)
                mech.motor(f"motor {name}", name, 0.4)
    return mech.compile(), rng


def states(system, rng, shape):
    found = [random_state(rng, system) for _ in range(int(np.prod(shape)))]
    names = {"q": "q", "v": "v", "a": "v_dot", "f": "tau"}
    rows = {k: np.array([getattr(s, n) for s in found]) for k, n in names.items()}
    return {k: x.reshape(*shape, x.shape[1]) for k, x in rows.items()}


def compare(system, given, names=FUNCTIONS):
    """Largest difference of each function from one call for each state."""
    found = {}
    for name in names:
        function, letters = FUNCTIONS[name]
        arguments = [given[k] for k in letters]
        lead = given["q"].shape[:-1]
        many = function(system, *arguments)
        one = np.array([function(system, *(x[i] for x in arguments)) for i in np.ndindex(lead)])
        found[name] = error(many, one.reshape(*lead, *one.shape[1:]))
    return found


@pytest.mark.parametrize("seed", range(24))
def test_batches_of_random_trees(seed):
    system, rng = furnished(seed)
    assert batches.takes_lanes(system) or batches.INTERPRETED
    names = FUNCTIONS if system.nv else ("poses", "mass_matrix", "forward_dynamics", "displace")  # all is welded
    found = compare(system, states(system, rng, (5,) if seed % 3 else (2, 3)), names)
    assert max(found.values()) < 1e-12, found


def test_the_floating_origin_travels_with_each_state():
    """Free bodies far from each other's state: each lane has its own origin."""
    mech = ct.Mechanism("free")
    a = mech.body("a", 1.0, (0.1, 0.0, 0.0), (0.1, 0.2, 0.3))
    b = mech.body("b", 2.0, (0.5, 0.0, 0.0), (0.3, 0.2, 0.3))
    mech.joint("F", mech.ground, a, ct.Free())
    mech.joint("R", a, b, ct.Revolute((0.3, 0.0, 0.0), (0.0, 1.0, 0.0)))
    system, rng = mech.compile(), np.random.default_rng(0)
    given = states(system, rng, (4,))
    home = ct.forward_dynamics(system, given["q"], given["v"], given["f"]).v_dot
    given["q"][:, 4:7] += 1e6 * np.arange(4)[:, None]
    assert error(ct.forward_dynamics(system, given["q"], given["v"], given["f"]).v_dot, home) < 1e-8
    assert compare(system, given, ["forward_dynamics", "poses"])["forward_dynamics"] < 1e-12


def test_a_member_has_the_same_bits_wherever_it_stands():
    system, rng = furnished(5)
    given = states(system, rng, (11,))
    q, v, f = given["q"], given["v"], given["f"]
    whole = ct.forward_dynamics(system, q, v, f).v_dot
    for part in (slice(0, 1), slice(3, 4), slice(2, 9)):
        assert (ct.forward_dynamics(system, q[part], v[part], f[part]).v_dot == whole[part]).all()


def test_arguments_are_broadcast():
    system, rng = furnished(2)
    given = states(system, rng, (3,))
    q, v = given["q"], given["v"]
    both = ct.inverse_dynamics(system, q[:, None], v)
    assert both.shape == (3, 3, system.nv)
    assert error(both[1, 2], ct.inverse_dynamics(system, q[1], v[2])) < 1e-13
    assert error(ct.inverse_dynamics(system, q[0], v)[1], ct.inverse_dynamics(system, q[0], v[1])) < 1e-13
    assert error(ct.inverse_dynamics(system, q)[2], ct.inverse_dynamics(system, q[2])) < 1e-13
    assert error(ct.poses(system, q.tolist()), ct.poses(system, q)) == 0.0
    assert error(ct.spatial_jacobian(system=system, q=q, body=1)[1], ct.spatial_jacobian(system, q[1], 1)) == 0.0


@pytest.mark.parametrize("lanes", ["0", "lanes"])
def test_threads_change_nothing(monkeypatch, lanes):
    system, rng = furnished(9)
    given = states(system, rng, (90,))
    if lanes == "0":
        monkeypatch.setenv("COTREE_LANES", "0")
    arguments = (system, given["q"], given["v"], given["f"])
    alone = ct.forward_dynamics(*arguments).v_dot
    monkeypatch.setattr(batches, "SHARE", 10)
    monkeypatch.setattr(batches, "cores", lambda: 3)
    assert (ct.forward_dynamics(*arguments).v_dot == alone).all()


def test_numbers_take_the_place_of_lanes(monkeypatch):
    system, rng = furnished(3)
    monkeypatch.setenv("COTREE_LANES", "0")
    assert not batches.takes_lanes(system)
    given = states(system, rng, (3,))
    assert max(compare(system, given).values()) == 0.0  # the same kernels, the same bits


def test_force_elements_of_registered_kinds_are_evaluated_on_numbers():
    mech = ct.gallery.pendulum_chain(3)
    mech.add(Attraction("pull", "ground", (1.0, 2.0, 0.5), list(mech.bodies)[-1], (0.5, 0.0, 0.0), 3.0, 0.2))
    system, rng = mech.compile(), np.random.default_rng(1)
    assert not batches.takes_lanes(system)
    given = states(system, rng, (3,))
    found = compare(system, given, ["forward_dynamics", "inverse_dynamics", "total"])
    assert max(found.values()) == 0.0
    plain = ct.forward_dynamics(ct.gallery.pendulum_chain(3), given["q"], given["v"], given["f"])
    assert error(plain.v_dot, ct.forward_dynamics(system, given["q"], given["v"], given["f"]).v_dot) > 1e-3


def test_forces_that_are_functions():
    mech = ct.gallery.pendulum_chain(2)
    mech.motor("law", "J1", lambda t, angle, rate: 3.0 * t - angle - 0.1 * rate)
    system, rng = mech.compile(), np.random.default_rng(1)
    given = states(system, rng, (3,))
    q, v, f = given["q"], given["v"], given["f"]
    assert (ct.inverse_dynamics(system, q, v, f, 0.5)[1] == ct.inverse_dynamics(system, q[1], v[1], f[1], 0.5)).all()
    assert (
        ct.forward_dynamics(system, q, v, f, t=0.5).v_dot[1]
        == ct.forward_dynamics(system, q[1], v[1], f[1], t=0.5).v_dot
    ).all()


@pytest.mark.parametrize("formulation", ["auto", "index1"])
def test_loops(formulation):
    system = ct.gallery.four_bar().compile()
    q = np.array([ct.assemble(system, {"A": a}) for a in (0.0, 0.2, 0.4, -0.2)]).reshape(2, 2, -1)
    v = np.array([ct.consistent_velocity(system, x, {"A": 1.3}) for x in q.reshape(4, -1)]).reshape(2, 2, -1)
    many = ct.forward_dynamics(system, q, v, formulation=formulation)
    one = ct.forward_dynamics(system, q[1, 0], v[1, 0], formulation=formulation)
    assert (many.v_dot[1, 0] == one.v_dot).all()
    assert (many.multipliers[1, 0] == one.multipliers).all()
    assert (many.reactions["C"][1, 0] == one.reactions["C"]).all()
    assert (many[1, 0].reaction("B") == many.reaction("B")[1, 0]).all()
    assert many[1].v_dot.shape == (2, system.nv)
    assert (many.singular, many.doubt, many.unbounded) == (False, "", False)
    assert many.undetermined == one.undetermined
    assert many.unique is one.unique
    assert len(many) == 2
    found = compare(
        system, {"q": q, "v": v, "a": v}, ["mass_matrix", "inverse_dynamics", "constraint_residual", "constraint_bias"]
    )
    assert max(found.values()) < 1e-13


def test_a_tree_gives_its_members():
    system, rng = furnished(7)
    given = states(system, rng, (4,))
    many = ct.forward_dynamics(system, given["q"], given["v"], given["f"])
    one = ct.forward_dynamics(system, given["q"][2], given["v"][2], given["f"][2])
    name = system.joint_names[-1]
    assert error(many[2].reactions[name], one.reactions[name]) < 1e-12
    assert error(many.reactions[name][2], one.reactions[name]) < 1e-12
    assert many.multipliers.shape == (4, 0)
    assert many[1:3].v_dot.shape == (2, system.nv)
    assert many.unique
    assert many.undetermined == ()
    assert repr(many).startswith("ForwardDynamics(v_dot=")


# -- what goes wrong, and where ---------------------------------------------------------------------------------


def test_wrong_shapes_are_named():
    system = ct.gallery.pendulum_chain(3).compile()
    for function, arguments, words in (
        (ct.poses, (np.zeros((4, 2)),), "q of system .* must have 3 entries on its last axis, got shape \\(4, 2\\)"),
        (ct.inverse_dynamics, (np.zeros((4, 3)), np.zeros((4, 5))), "v of system .* 3 entries .* shape \\(4, 5\\)"),
        (ct.forward_dynamics, (np.zeros((4, 3)), None, 1.0), "tau of system .* 3 entries .* shape \\(\\)"),
        (ct.energy, (np.zeros((4, 3)), np.zeros((5, 3))), "do not fit together: q \\(4,\\), v \\(5,\\)"),
        (ct.mass_matrix, (np.zeros((0, 3)),), "is empty: its leading axes are \\(0,\\)"),
        (ct.spatial_jacobian, (np.zeros((2, 4)), 1), "q of system .* 3 entries"),
        (ct.twists, (np.zeros((2, 3)), "fast"), "v of system .* got 'fast'"),
    ):
        with pytest.raises(ShapeError, match=words):
            function(system, *arguments)


def test_the_member_that_is_not_finite_is_named():
    system = ct.gallery.pendulum_chain(3).compile()
    q, v = np.zeros((2, 3, 3)), np.ones((2, 3, 3))
    q[1, 2, 0] = np.nan
    for function in (ct.poses, ct.mass_matrix, ct.spatial_jacobian):
        with pytest.raises(NotFiniteError, match=r"member \[1, 2\] of the batch: q of system .* is nan at entry 0"):
            function(system, q, *([1] if function is ct.spatial_jacobian else []))
    for function in (ct.inverse_dynamics, ct.forward_dynamics, ct.energy, ct.momentum, ct.center_of_mass, ct.twists):
        with pytest.raises(NotFiniteError, match=r"member \[1, 2\]"):
            function(system, q, v)


def test_a_member_without_inertia_leaves_its_neighbours_alone():
    """Point masses on a chain that is stretched in one member: there the spin about its axis has no inertia."""
    mech = ct.Mechanism("points")
    a = mech.body("a", 1.0, (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    mech.joint("S", mech.ground, a, ct.Revolute((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)))
    b = mech.body("b", 1.0, (1.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    mech.joint("R", a, b, ct.Revolute((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    system = mech.compile()
    q = np.array([[0.0, 0.3], [0.1, 0.5], [0.2, 0.0], [0.0, 1.0], [0.3, 0.7]])
    with pytest.raises(SingularError, match=r"member \[2\] of the batch: coordinate 'S': nothing"):
        ct.forward_dynamics(system, q)
    rows = [q, np.zeros((1, 2)), np.zeros((1, 2))]
    _, status = many_forward_dynamics.raw(system, rows, 5, 2)
    assert status[2] != 0
    good = np.delete(q, 2, axis=0)
    assert error(ct.forward_dynamics(system, good).v_dot[1], ct.forward_dynamics(system, good[1]).v_dot) < 1e-13


def test_singular_coordinates_of_a_member_are_named():
    mech = ct.Mechanism("gimbal")
    a = mech.body("a", 1.0, (0.1, 0.0, 0.0), (0.1, 0.2, 0.3))
    mech.joint("G", mech.ground, a, ct.Spherical((0.0, 0.0, 0.0), coordinates="second"))
    system = mech.compile()
    q = np.array([[0.1, 0.2, 0.3], [0.1, np.pi / 2, 0.3]])
    with pytest.raises(SingularError, match=r"member \[1\] of the batch: .*gimbal lock"):
        ct.forward_dynamics(system, q)
    assert ct.forward_dynamics(system, q[:1]).v_dot.shape == (1, 3)


def test_tables_and_rotors_on_lanes():
    """Elements whose force is a cubic between points, and inertia along a joint."""
    mech = ct.gallery.pendulum_chain(4)
    mech.nonlinear_joint_spring("spring", "J1", [(-1, -3), (-0.2, -0.1), (0.3, 0.2), (1.0, 4.0)])
    mech.motor_curve("motor", "J2", [(0, 5.0), (2.0, 3.0), (6.0, 0.0)])
    mech.joint_inertia("rotor", "J3", 0.02, ratio=5)
    system, rng = mech.compile(), np.random.default_rng(1)
    q, v, a = rng.normal(size=(11, 4)), 3.0 * rng.normal(size=(11, 4)), rng.normal(size=(11, 4))
    for name in ("mass_matrix", "inverse_dynamics", "forward_dynamics", "kinetic", "total"):
        function, takes = FUNCTIONS[name]
        given = {"q": (q,), "qv": (q, v), "qva": (q, v, a), "qvf": (q, v, a)}[takes]
        alone = np.array([function(system, *state) for state in zip(*given, strict=True)])
        assert error(function(system, *given), alone) < 1e-12
