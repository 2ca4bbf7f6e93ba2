"""The mechanisms of the papers: counts, starts, and the same motion in every description of them."""

import numpy as np
import pytest

import cotree as ct
from cotree import gallery
from tests.descriptions import same_state, spatial_twists, worst_difference

MECHANISMS = {
    "heavy top": gallery.heavy_top,
    "spherical double pendulum": gallery.spherical_double_pendulum,
    "floating bodies": gallery.floating_bodies,
    "three-bar": gallery.three_bar,
    "satellite": gallery.satellite,
    "satellite with its momentum": lambda: gallery.satellite(conserve=True),
    "snakeboard": gallery.snakeboard,
}
COUNTS = {  # bodies, nq, nv, holonomic rows, others, dof
    "heavy top": (1, 4, 3, 0, 0, 3),
    "spherical double pendulum": (2, 8, 6, 0, 0, 6),
    "floating bodies": (2, 11, 9, 0, 0, 9),
    "three-bar": (2, 8, 6, 3, 0, 3),
    "satellite": (9, 11, 11, 0, 0, 11),
    "satellite with its momentum": (9, 11, 11, 0, 1, 10),
    "snakeboard": (4, 12, 12, 6, 2, 4),
}
TOPS = tuple(MECHANISMS)[:4]
ABSOLUTE_ROWS = dict(zip(TOPS, (3, 6, 3, 9), strict=True))
PI = np.pi
STATED = {  # angular velocities [rad/s], body frames being those of the world but for the three-bar's
    "heavy top": {"top": (0, 20 * PI, 10 * PI)},
    "spherical double pendulum": {"body1": (10, 0, 0), "body2": (10 * PI, 10 * PI, 20 * PI)},
    "floating bodies": {"body1": (0, 0, -10), "body2": (1, -1, 2 * PI)},
    "satellite": dict.fromkeys(("body", "right1", "right4", "left1", "left4"), (0, 0, 0.1)),
}
FORMULATIONS = ("index1", "projection", "voronets")


def admissible_state(system, seed, q=None, size=0.3):
    """Off the start by a little, at random velocities."""
    rng = np.random.default_rng(seed)
    q = ct.assemble(system, ct.displace(system, system.q0 if q is None else q, size * rng.standard_normal(system.nv)))
    return q, ct.consistent_velocity(system, q, rng.standard_normal(system.nv))


@pytest.mark.parametrize("name", MECHANISMS)
def test_counts(name):
    system = MECHANISMS[name]().compile()
    held = system.holonomic
    found = (system.n_bodies, system.nq, system.nv, int(held.sum()), int((~held).sum()), ct.mobility(system).local)
    assert found == COUNTS[name]


@pytest.mark.parametrize("name", MECHANISMS)
def test_starts_are_admissible(name):
    mech = MECHANISMS[name]()
    system, q, v = mech.compile(), mech.q_start, mech.v_start
    assert q.shape == (system.nq,)
    assert v.shape == (system.nv,)
    assert np.abs(ct.constraint_residual(system, q)).max(initial=0.0) < 1e-15
    gap = ct.constraint_jacobian(system, q) @ v - ct.theory.constraint_rate(system, q)
    assert np.abs(gap).max(initial=0.0) < 1e-12 * max(1.0, np.abs(v).max())


@pytest.mark.parametrize("name", STATED)
def test_stated_angular_velocities(name):
    mech = MECHANISMS[name]()
    system = mech.compile()
    V = ct.twists(system, mech.q_start, mech.v_start, "spatial")
    for body, w in STATED[name].items():
        np.testing.assert_allclose(V[system.row_of(body)][:3], w, atol=1e-13)


@pytest.mark.parametrize("name", ["floating bodies", "satellite"])
def test_floating_mass_centres_start_at_rest(name):
    mech = MECHANISMS[name]()
    assert np.abs(ct.center_of_mass(mech.compile(), mech.q_start, mech.v_start).velocity).max() < 1e-15


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("angle", [np.pi / 2, 0.0, 1.0])
def test_start_of_the_four_bars(n, angle):
    """Every crank turns at 1 rad/s and the couplers do not turn: their spatial twists say so."""
    mech = gallery.n_four_bar(n, angle)
    system = mech.compile()
    assert np.abs(ct.constraint_jacobian(system, mech.q_start) @ mech.v_start).max() < 1e-14
    for body, V in spatial_twists(system, mech.q_start, mech.v_start).items():
        assert V[2] == pytest.approx(float(body.startswith("crank")), abs=1e-15)


def test_mechanisms_without_a_stated_start():
    assert gallery.four_bar().q_start is None
    assert ct.Mechanism().v_start is None


def test_the_top_of_the_paper():
    """[Lie 5.1] prints mass, inertia and 13.97 kJ; the box alone gives them."""
    mech = gallery.heavy_top()
    top = mech.bodies["top"].properties
    assert top.mass == pytest.approx(21.6, rel=1e-14)
    np.testing.assert_allclose(top.inertia, np.diag([0.36, 0.306, 0.09]), rtol=1e-14)
    assert ct.energy(mech.compile(), mech.q_start, mech.v_start).kinetic == pytest.approx(13970, abs=5)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("name", TOPS)
def test_starts_in_absolute_coordinates(name, group):
    mech = MECHANISMS[name]()
    system, other = mech.compile(), mech.compile(coordinates="absolute", group=group)
    q, v = same_state(other, system, mech.q_start, mech.v_start)
    assert (other.nv, other.n_constraints) == (6 * other.n_bodies, ABSOLUTE_ROWS[name])
    assert np.abs(ct.constraint_jacobian(other, q) @ v).max() < 1e-13 * np.abs(v).max()
    kinetic = ct.energy(system, mech.q_start, mech.v_start).kinetic
    assert ct.energy(other, q, v).kinetic == pytest.approx(kinetic, rel=1e-13)


def body_accelerations(system, q, v, formulation="auto", t=0.0):
    A = ct.accelerations(system, q, v, ct.forward_dynamics(system, q, v, formulation=formulation, t=t).v_dot, "spatial")
    return dict(zip(("ground", *system.body_names), A, strict=True))


def with_torques(mech, torques):
    """The mechanism with moments about z between pairs of bodies, {(inner, outer): N m}, in place of its joint forces."""
    mech.joint_forces.clear()
    for (inner, outer), torque in torques.items():
        mech.torque(f"on {outer}", outer, (0, 0, torque))
        mech.torque(f"back on {inner} from {outer}", inner, (0, 0, -torque))
    return mech


def spring_torques(mech, system, q):
    """-k q of each hinge of the satellite."""
    out = {}
    for spring in mech.joint_forces.values():
        hinge = mech.joints[spring.joint]
        out[hinge.parent, hinge.child] = -spring.stiffness * q[system.velocity_index(hinge.name)]
    return out


def control_torques(t, q, v):
    """The snakeboard's controllers, written out."""
    w = 2 * PI
    wanted, rate = 0.5 * np.sin(w * t), 0.5 * w * np.cos(w * t)
    return {
        ("board", "front"): 10 * (wanted - q[6] + q[0]) + 0.1 * (rate - v[6] + v[0]),
        ("board", "rear"): 10 * (-wanted - q[9] + q[0]) + 0.1 * (-rate - v[9] + v[0]),
    }


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", MECHANISMS)
def test_formulations_coordinates_and_groups_agree(name, seed):
    mech, t = MECHANISMS[name](), 0.3
    system = mech.compile()
    q, v = admissible_state(system, seed, mech.q_start)
    expected = body_accelerations(system, q, v, t=t)
    J = ct.constraint_jacobian(system, q, t)
    for formulation in FORMULATIONS:
        v_dot = ct.forward_dynamics(system, q, v, formulation=formulation, t=t).v_dot
        assert np.allclose(J @ v_dot, ct.constraint_bias(system, q, v, t), atol=1e-9 * np.abs(v_dot).max())
        assert worst_difference(body_accelerations(system, q, v, formulation, t), expected) < 1e-9
    if "satellite" in name:
        mech = with_torques(gallery.satellite(), spring_torques(mech, system, q))
    if name == "snakeboard":
        mech = with_torques(mech, control_torques(t, q, v))
    for group in ("SE3", "SO3xR3"):
        other = mech.compile(coordinates="absolute", group=group)
        state = same_state(other, system, q, v)
        for formulation in FORMULATIONS:
            assert worst_difference(body_accelerations(other, *state, formulation, t), expected) < 1e-9


def momentum_of(run, point=(0, 0, 0)):
    return np.array([ct.momentum(run.system, q, v, point) for q, v in zip(run.q, run.v, strict=True)])


@pytest.mark.parametrize("name", [*TOPS, "satellite"])
def test_what_is_conserved(name):
    """Energy; all momentum when floating, that about the pivot, or its vertical part under gravity, when hung up."""
    mech = MECHANISMS[name]()
    t_end = 10.0 if name == "satellite" else 1.0
    run = ct.simulate(mech.compile(), t_end, mech.q_start, mech.v_start, rtol=1e-10, atol=1e-10, output=11)
    total = run.energy.total
    assert run.status == "done"
    assert np.abs(total - total[0]).max() < 1e-6 * np.abs(run.energy.kinetic).max()
    assert np.abs(run.poses()[-1] - run.poses()[0]).max() > 0.1  # it did move
    kept = {"heavy top": [0, 1, 2], "spherical double pendulum": [2], "three-bar": []}.get(name, range(6))
    L = momentum_of(run)[:, list(kept)]
    assert np.abs(L - L[0]).max(initial=0.0) < 1e-7 * np.abs(momentum_of(run)).max()


def test_three_bar_on_both_groups():
    """[Lie 5.4]: not stabilized, SE(3) keeps the joints to ground, and the joint between the bars drifts on either group."""
    mech, gaps = gallery.three_bar(), {}
    for group in ("SE3", "SO3xR3"):
        system = mech.compile(coordinates="absolute", group=group)
        state = same_state(system, mech.compile(), mech.q_start, mech.v_start)
        run = ct.simulate(system, 2.0, *state, step=1e-3, stabilize="none", output=[2.0])
        g = np.abs(ct.constraint_residual(system, run.q[-1]))
        gaps[group] = {j: max(x for x, n in zip(g, system.constraint_names, strict=True) if n.startswith(j))
                       for j in ("joint1", "joint2", "joint3")}  # fmt: skip
    assert max(gaps["SE3"]["joint1"], gaps["SE3"]["joint3"]) < 1e-13
    assert min(gaps["SO3xR3"]["joint1"], gaps["SO3xR3"]["joint3"]) > 1e-12
    assert 0.1 < gaps["SE3"]["joint2"] / gaps["SO3xR3"]["joint2"] < 10.0
