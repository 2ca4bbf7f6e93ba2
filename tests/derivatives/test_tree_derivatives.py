"""Derivatives of the dynamics of trees against differences: joints of all types, coordinates and groups, with elements."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import NotFiniteError, ShapeError, SingularError
from tests.derivatives.differences import along_q, along_v
from tests.random_mechanisms import error, grid, make_case, random_state, random_tree

TOLERANCE = 1e-9


def loaded(seed):
    """(system, state) of a random tree with springs, dampers, joint springs and loads in world and body axes."""
    rng = np.random.default_rng(seed)
    mech = random_tree(rng, int(rng.integers(2, 7))).mechanism()
    names = list(mech.bodies)
    for k, (length, damping) in enumerate(((None, 0.7), (0.3, 0.2), (0.0, 0.0))):
        a, b = (str(x) for x in rng.choice(["ground", *names], 2, replace=False))
        mech.spring(f"s{k}", a, grid(rng, 1.0), b, grid(rng, 1.0) + 2.0, rng.uniform(5, 50), length, damping)
        body, frame = str(rng.choice(names)), ("world", "body")[k % 2]
        mech.force(f"f{k}", body, rng.normal(size=3), point=grid(rng, 1.0), frame=frame)
        mech.torque(f"t{k}", body, rng.normal(size=3), frame=frame)
    system = mech.compile(group=("SE3", "SO3xR3")[seed % 2])
    return system, random_state(rng, system)


@pytest.mark.parametrize("seed", range(24))
def test_inverse_dynamics_by_differences(seed):
    system, s = loaded(seed)
    found = ct.inverse_dynamics_derivatives(system, s.q, s.v, s.v_dot)
    dq = along_q(system, lambda q: ct.inverse_dynamics(system, q, s.v, s.v_dot), s.q)
    dv = along_v(lambda v: ct.inverse_dynamics(system, s.q, v, s.v_dot), s.v)
    assert error(found.dq, dq.reshape(found.dq.shape)) < TOLERANCE
    assert error(found.dv, dv.reshape(found.dv.shape)) < TOLERANCE
    assert error(found.da, ct.mass_matrix(system, s.q)) < 1e-13


@pytest.mark.parametrize("coordinates", ["first", "cayley", "second", "group", "quaternion"])
@pytest.mark.parametrize("seed", range(2))
def test_kinds_of_coordinates(coordinates, seed):
    """Each kind by itself, in chains of joints that have it."""
    c = make_case(seed, 4, joints=("Spherical", "Planar", "Free", "Cylindrical"), coordinates=(coordinates,))
    q, v, a = c.state.q, c.state.v, c.state.v_dot
    dq = along_q(c.system, lambda x: ct.inverse_dynamics(c.system, x, v, a), q, 5e-3)
    assert error(ct.inverse_dynamics_derivatives(c.system, q, v, a).dq, dq) < TOLERANCE


@pytest.mark.parametrize("seed", range(12))
def test_forward_dynamics_by_inverse(seed):
    """d v_dot = -M^-1 d(inverse dynamics): the articulated bodies against the mass matrix."""
    system, s = loaded(seed)
    found = ct.forward_dynamics_derivatives(system, s.q, s.v, s.tau)
    M, tree = ct.mass_matrix(system, s.q), ct.inverse_dynamics_derivatives(system, s.q, s.v, found.v_dot)
    assert error(found.v_dot, ct.forward_dynamics(system, s.q, s.v, s.tau).v_dot) < 1e-11
    assert error(found.dq, -np.linalg.solve(M, tree.dq)) < TOLERANCE
    assert error(found.dv, -np.linalg.solve(M, tree.dv)) < TOLERANCE
    assert error(found.dtau, np.linalg.inv(M)) < TOLERANCE


def test_forward_dynamics_by_differences():
    system, s = loaded(5)
    found = ct.forward_dynamics_derivatives(system, s.q, s.v, s.tau)
    dq = along_q(system, lambda q: ct.forward_dynamics(system, q, s.v, s.tau).v_dot, s.q, 3e-3)
    dv = along_v(lambda v: ct.forward_dynamics(system, s.q, v, s.tau).v_dot, s.v)
    assert error(found.dq, dq) < TOLERANCE
    assert error(found.dv, dv) < TOLERANCE


def far_chain(n=90):
    """More coordinates than fit into one tile, with a branch."""
    mech = ct.Mechanism("long")
    bodies = [mech.ground]
    for k in range(n):
        at = bodies[40 if k == 60 else -1]
        p = (0.1 * k, 0.02 * (k % 3), 0.0)
        bodies.append(mech.body(f"b{k}", 1.0, p, (0.1, 0.2, 0.3)))
        mech.joint(f"j{k}", at, bodies[-1], ct.Revolute(p, np.eye(3)[k % 3]))
    return mech.compile()


def test_long_branched_tree():
    system = far_chain()
    q, v, a = 0.1 * np.random.default_rng(0).normal(size=(3, system.nv))
    found = ct.inverse_dynamics_derivatives(system, q, v, a)
    for c in (0, 39, 41, 63, 64, 89):
        e = np.eye(system.nv)[c]
        dq = along_v(lambda s, e=e: ct.inverse_dynamics(system, q + s[0] * e, v, a), np.zeros(1), 1e-2)[:, 0]
        dv = along_v(lambda s, e=e: ct.inverse_dynamics(system, q, v + s[0] * e, a), np.zeros(1))[:, 0]
        assert error(found.dq[:, c], dq) < TOLERANCE
        assert error(found.dv[:, c], dv) < TOLERANCE
    forward = ct.forward_dynamics_derivatives(system, q, v, a)
    assert error(found.da @ forward.dtau, np.eye(system.nv)) < 1e-9


def pendulum_with(**functions):
    mech = ct.Mechanism("driven")
    arm = mech.body("arm", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, arm, ct.Revolute((0, 0, 0), (0, 1, 0)))
    rod = mech.body("rod", 1.0, (1.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("B", arm, rod, ct.Spherical((1, 0, 0)))
    if "motor" in functions:
        mech.motor("m", "A", functions["motor"])
    if "force" in functions:
        mech.force("f", rod, functions["force"], (2, 0, 0))
    return mech.compile()


@pytest.mark.parametrize(
    "functions",
    [
        {"motor": lambda q, v: -3.0 * np.sin(q[0]) - 0.2 * v[0] * v[2]},
        {"force": lambda position, velocity: -2.0 * np.asarray(position) - 0.1 * np.asarray(velocity)},
        {"motor": lambda t: 2.0 * t, "force": lambda t, v: (v[1], 0.0, t)},
    ],
)
def test_functions_of_the_user(functions):
    system = pendulum_with(**functions)
    rng = np.random.default_rng(1)
    q, v = ct.displace(system, system.q0, rng.normal(size=system.nv)), rng.normal(size=system.nv)
    found = ct.forward_dynamics_derivatives(system, q, v, t=0.3)
    dq = along_q(system, lambda x: ct.forward_dynamics(system, x, v, t=0.3).v_dot, q)
    dv = along_v(lambda x: ct.forward_dynamics(system, q, x, t=0.3).v_dot, v)
    assert error(found.dq, dq) < TOLERANCE
    assert error(found.dv, dv) < TOLERANCE


def test_spring_without_length_is_named():
    mech = ct.Mechanism("loose")
    ball = mech.body("ball", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("J", mech.ground, ball, ct.Translation())
    mech.spring("coil", mech.ground, (0, 0, 0), ball, (0, 0, 0), 10.0, 0.5)
    system = mech.compile()
    with pytest.raises(SingularError, match="spring 'coil' has no length here"):
        ct.inverse_dynamics_derivatives(system, system.q0)
    with pytest.raises(SingularError, match="spring 'coil'"):
        ct.forward_dynamics_derivatives(system, system.q0)


def test_arguments_are_checked():
    system = pendulum_with()
    q = system.q0
    with pytest.raises(ShapeError, match="a of system 'driven'"):
        ct.inverse_dynamics_derivatives(system, q, None, [1.0])
    with pytest.raises(NotFiniteError, match="v of system"):
        ct.inverse_dynamics_derivatives(system, q, [np.nan, 0, 0, 0])
    with pytest.raises(NotFiniteError, match="tau of system"):
        ct.forward_dynamics_derivatives(system, q, None, [np.inf, 0, 0, 0])
    mech = ct.Mechanism("light")
    mech.joint("J", mech.ground, mech.body("b", 1.0, (0, 0, 0), (0, 0, 0)), ct.Revolute())
    with pytest.raises(SingularError, match="'J'"):
        ct.forward_dynamics_derivatives(mech.compile(), [0.0])
