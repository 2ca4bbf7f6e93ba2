"""The momentum row of the satellite, and the snakeboard beside a model of it in six coordinates."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree import gallery
from cotree.errors import ChoiceError, ConstraintError, ForceError
from cotree.gallery.satellites import momentum_rate, momentum_row
from cotree.gallery.snakeboards import BODIES, HALF
from tests.constraints.rigs import check_rows
from tests.descriptions import same_state, worst_difference
from tests.gallery.test_papers import admissible_state, body_accelerations

Z = (0, 0, 1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_momentum_row(seed):
    """J v - b is the angular momentum about the mass centre beyond that of the start; the bias is that of differences."""
    mech, rng = gallery.satellite(conserve=True), np.random.default_rng(seed)
    system = mech.compile()

    def momentum(q, v):
        return ct.momentum(system, q, v, ct.center_of_mass(system, q).position)[2]

    q, v = rng.standard_normal((2, 11))
    left_over = ct.constraint_jacobian(system, q) @ v - ct.theory.constraint_rate(system, q)
    assert left_over == pytest.approx([momentum(q, v) - momentum(mech.q_start, mech.v_start)], rel=1e-12, abs=1e-9)
    check_rows(system, q, v)
    other = gallery.satellite()
    other.constraint("bias left out", momentum_row, rate=momentum_rate)
    eta = ct.constraint_bias(system, q, v)
    assert eta == pytest.approx(ct.constraint_bias(other.compile(), q, v), rel=1e-9, abs=1e-8)


def test_momentum_row_changes_no_motion():
    mech = gallery.satellite(conserve=True)
    bound, free = mech.compile(), gallery.satellite().compile()
    q, v = admissible_state(bound, 4, mech.q_start)
    found = ct.forward_dynamics(bound, q, v)
    assert np.allclose(found.v_dot, ct.forward_dynamics(free, q, v).v_dot, rtol=1e-11, atol=1e-11)
    assert np.abs(found.multipliers).max() < 1e-12


def test_momentum_row_and_controllers_are_refused_in_other_coordinates():
    """Both know the default coordinates only."""
    mech = gallery.satellite(conserve=True)
    mech.joint_forces.clear()
    system = mech.compile(coordinates="absolute")
    with pytest.raises(ConstraintError, match="angular momentum"):
        ct.constraint_jacobian(system, system.q0)
    for choice in ({"coordinates": "absolute"}, {"cut": ["front plane"]}):
        system = gallery.snakeboard().compile(**choice)
        with pytest.raises(ForceError, match="control"):
            ct.forward_dynamics(system, system.q0)
        with pytest.raises(ForceError, match="control"):
            ct.simulate(system, 0.1)


def snakeboard_tree():
    """The snakeboard as a tree: board in the plane, pins as joints, PD control as spring, damper and motor of time."""
    mech, bodies = ct.Mechanism("tree", (0, 0, 0)), {}
    for name, (x, size, mass) in BODIES.items():
        inertia = (
            mass
            / 12
            * np.array([size[1] ** 2 + size[2] ** 2, size[0] ** 2 + size[2] ** 2, size[0] ** 2 + size[1] ** 2])
        )
        bodies[name] = mech.body(name, mass, (x, 0, 0), inertia)
    mech.joint("plane", mech.ground, bodies["board"], ct.Planar((0, 0, 0), Z))
    for name in ("rotor", "front", "rear"):
        mech.joint(name, "board", name, ct.Revolute((BODIES[name][0], 0, 0), Z))
    mech.force("push", "board", (1, 0, 0), (0, 0, 0), frame="body")
    w = 2 * np.pi
    for name, x, sense in (("front", HALF, 0.5), ("rear", -HALF, -0.5)):
        mech.knife_edge(name, name, (x, 0, 0), (0, 1, 0))
        mech.joint_spring(f"P {name}", name, 10.0)
        mech.joint_damper(f"D {name}", name, 0.1)
        mech.motor(f"M {name}", name, lambda t, a=sense: a * (10 * np.sin(w * t) + 0.1 * w * np.cos(w * t)))
    return mech.compile()


@pytest.mark.parametrize("t", [0.0, 0.3, 1.7])
def test_snakeboard_against_its_tree(t):
    system, tree = gallery.snakeboard().compile(), snakeboard_tree()
    assert (tree.nv, tree.n_constraints) == (6, 2)
    q, v = admissible_state(tree, 5)
    state = same_state(system, tree, q, v)
    assert worst_difference(body_accelerations(system, *state, t=t), body_accelerations(tree, q, v, t=t)) < 1e-9


def test_snakeboard_rides():
    """One second: the axles follow 0.5 sin(2 pi t), the rotor keeps its angle, and the energy is the work done."""
    mech = gallery.snakeboard()
    system = mech.compile()
    motors = {n: f.torque.function for n, f in mech.joint_forces.items()}

    def power(t, q, v):
        """Push along the board, and the controllers on the angles of front, rear and board."""
        turns = {"front control": 6, "rear control": 9, "board control": 0}
        return v[1] + sum(f(t, q, v) * v[turns[n]] for n, f in motors.items())

    def rates(t, y):
        q, v = y[:12], y[12:24]
        v_dot = ct.forward_dynamics(system, q, v, t=t).v_dot
        return np.concatenate([ct.theory.coordinate_rates(system, q, v), v_dot, [power(t, q, v)]])

    start = np.concatenate([mech.q_start, mech.v_start, [0.0]])
    run = solve_ivp(rates, (0, 1), start, rtol=1e-9, atol=1e-9, t_eval=np.linspace(0, 1, 21))
    q, v, work = run.y[:12], run.y[12:24], run.y[24]
    wanted = 0.5 * np.sin(2 * np.pi * run.t)
    assert np.abs(q[6] - q[0] - wanted).max() < 0.1
    assert np.abs(q[9] - q[0] + wanted).max() < 0.1
    assert np.abs(q[3]).max() < 1e-9
    assert q[1, -1] > 0.05
    assert ct.energy(system, q[:, -1], v[:, -1]).kinetic == pytest.approx(work[-1], rel=1e-6)
    assert np.abs(ct.constraint_jacobian(system, q[:, -1]) @ v[:, -1]).max() < 1e-7


def test_snakeboard_in_the_coordinates_of_the_paper():
    """x, y and angle of each body: the same rows, the same ride; measured, 2e-13."""
    own, world = gallery.snakeboard(), gallery.snakeboard(axes="world")
    system = world.compile()
    assert (system.nq, system.nv, int(system.holonomic.sum()), system.n_constraints) == (12, 12, 6, 8)
    one, other = (ct.simulate(mech, 2.0, rtol=1e-11, atol=1e-11, output=5) for mech in (own, world))
    for name in BODIES:
        rows = (run.poses()[:, run.system.row_of(name)] for run in (one, other))
        np.testing.assert_allclose(*rows, rtol=0, atol=1e-9)
    assert np.abs(one.poses()[-1] - one.poses()[0]).max() > 0.1
    with pytest.raises(ChoiceError, match="choose 'own' or 'world'"):
        gallery.snakeboard(axes="body")
