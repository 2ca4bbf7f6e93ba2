"""Velocities at singular configurations: those that begin a motion pass, others go to the nearest branch or are refused."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, MotionError
from tests.closed_mechanisms import CATALOGUE, closed_pose, flat_parallelogram, four_bar, triangle


def gap_of_acceleration(system, q, v):
    """What is left of J v_dot = eta by the best acceleration."""
    J, eta = ct.constraint_jacobian(system, q), ct.constraint_bias(system, q, v)
    return np.abs(J @ np.linalg.lstsq(J, eta, rcond=1e-9)[0] - eta).max()


def projected_on_lines(system, lines, v):
    """The nearest point of some lines of velocities, in the metric of the mass matrix."""
    M = ct.mass_matrix(system, system.q0)
    points = [x * (x @ M @ v) / (x @ M @ x) for x in lines]
    return min(points, key=lambda x: (x - v) @ M @ (x - v))


def rhombus_lines(system, n):
    """Branches of n flat four-bars of equal sides, by hand: a_k (a_k - a_k+1) = 0, that is the first cranks at rest and the
    others alike. By coordinate names: A crank, B coupler against crank, C crank against coupler."""
    out = []
    for still in range(n + 1):
        crank = np.array([0.0] * still + [1.0] * (n + 1 - still))
        coupler = np.diff(crank)
        rates = {f"A{k}": crank[k] for k in range(n + 1)}
        rates |= {f"B{k}": coupler[k] - crank[k] for k in range(n)}
        rates |= {f"C{k}": crank[k + 1] - coupler[k] for k in range(n)}
        out.append(np.array([rates[name] for name in system.coordinate_names]))
    return out


def parallelogram_lines(system):
    """Flat parallelogram with cranks of 1 and a coupler of 2 m: parallel or antiparallel.

    a crank, b coupler, c other crank: a + 2 b = c and a^2 + 2 b^2 = c^2, so b = 0 or b = -2 a.
    """
    rates = [{"A": 1.0, "B": -1.0, "C": 1.0, "D": 1.0}, {"A": 1.0, "B": -3.0, "C": -1.0, "D": -3.0}]
    return [np.array([r[name] for name in system.coordinate_names]) for r in rates]


def flat_three_cranks(gravity=(0.0, 0.0, 0.0)):
    """Double parallelogram laid flat: three cranks of 1 m, 2 m apart, under one coupler."""
    mech = ct.Mechanism("flat double parallelogram", gravity)
    coupler = mech.body("coupler", 2.0, (3, 0, 0), (0.2, 0.2, 0.2))
    for k in range(3):
        crank = mech.body(f"crank{k}", 1.0, (2 * k + 0.5, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"A{k}", mech.ground, crank, ct.Revolute((2 * k, 0, 0), (0, 0, 1)))
        mech.joint(f"B{k}", crank, coupler, ct.Revolute((2 * k + 1, 0, 0), (0, 0, 1)))
    return mech


FLAT = {
    "parallelogram": lambda: ct.gallery.parallelogram(angle=0.0),
    "double parallelogram": flat_three_cranks,
    "2 four-bars": lambda: ct.gallery.n_four_bar(2, angle=0.0),
    "5 four-bars": lambda: ct.gallery.n_four_bar(5, angle=0.0),
}


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("name", FLAT)
def test_velocities_go_to_a_branch(name, coordinates):
    """Random velocities: admissible alone they close no loop to second order; the nearest ones do, and stay."""
    system, rng = FLAT[name]().compile(coordinates), np.random.default_rng(0)
    off = 0
    for _ in range(4):
        v = rng.standard_normal(system.nv)
        off += (
            gap_of_acceleration(system, system.q0, ct.consistent_velocity(system, system.q0, v, branches="ignore"))
            > 1e-3
        )
        u = ct.consistent_velocity(system, system.q0, v)
        assert np.abs(ct.constraint_jacobian(system, system.q0) @ u).max() < 1e-10
        assert gap_of_acceleration(system, system.q0, u) < 1e-9
        assert np.abs(ct.consistent_velocity(system, system.q0, u, branches="require") - u).max() < 1e-7
        M = ct.mass_matrix(system, system.q0)
        assert u @ M @ (v - u) == pytest.approx(0.0, abs=1e-6)  # a cone of lines through rest: the foot of v on one
    assert off >= 3


@pytest.mark.parametrize(("n", "times"), [(1, 20), (2, 20), (5, 20)])
def test_nearest_of_the_branches_of_rhombi(n, times):
    """Of n + 1 branches, known by hand, the nearest is found."""
    system, rng = ct.gallery.n_four_bar(n, angle=0.0).compile(), np.random.default_rng(1)
    for _ in range(times):
        v = rng.standard_normal(system.nv)
        expected = projected_on_lines(system, rhombus_lines(system, n), v)
        assert np.abs(ct.consistent_velocity(system, system.q0, v) - expected).max() < 1e-6  # some lines are double


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_nearest_of_the_branches_of_a_parallelogram(cut):
    system, rng = ct.gallery.parallelogram(angle=0.0).compile(cut=[cut]), np.random.default_rng(2)
    for _ in range(10):
        v = rng.standard_normal(system.nv)
        expected = projected_on_lines(system, parallelogram_lines(system), v)
        assert np.abs(ct.consistent_velocity(system, system.q0, v) - expected).max() < 1e-9


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_velocities_on_a_branch_stay(size):
    """At any speed; between the branches they are refused when that is asked for."""
    system = ct.gallery.parallelogram(angle=0.0).compile()
    for v in parallelogram_lines(system):
        u = ct.consistent_velocity(system, system.q0, size * v, branches="require")
        assert np.abs(u - size * v).max() < 1e-12 * size
    between = sum(parallelogram_lines(system))
    with pytest.raises(
        MotionError, match=r"loop 1, cut at joint '\w': at this singular configuration no motion starts"
    ):
        ct.consistent_velocity(system, system.q0, size * between, branches="require")
    ignored = ct.consistent_velocity(system, system.q0, size * between, branches="ignore")
    assert np.abs(ignored - size * between).max() < 1e-12 * size


def test_rest_is_a_velocity():
    system = ct.gallery.parallelogram(angle=0.0).compile()
    assert np.array_equal(ct.consistent_velocity(system, system.q0, np.zeros(3), branches="require"), np.zeros(3))


def test_shaky_triangle_has_no_branch():
    """Three hinges on a line have a velocity but no motion."""
    system = triangle(collinear=True).compile()
    shaky = ct.consistent_velocity(system, system.q0, np.ones(system.nv), branches="ignore")
    assert np.abs(shaky).max() > 0.1
    with pytest.raises(MotionError, match="no motion starts with this velocity or one near it"):
        ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    assert np.array_equal(ct.consistent_velocity(system, system.q0, np.zeros(system.nv)), np.zeros(system.nv))


def test_shaky_part_of_a_moving_mechanism():
    """A shaky triangle that hangs from a pendulum: the pendulum's velocity stays, the shaking goes."""
    mech = ct.Mechanism("shaky")
    mech.body("pendulum", 1.0, (0, -0.5, 0), (0.1, 0.1, 0.1))
    mech.body("a", 1.0, (0.5, -1, 0), (0.1, 0.1, 0.1))
    mech.body("b", 1.0, (1.5, -1, 0), (0.1, 0.1, 0.1))
    ends = (("ground", "pendulum", 0, 0), ("pendulum", "a", 0, -1), ("a", "b", 1, -1), ("pendulum", "b", 2, -1))
    for k, (before, body, x, y) in enumerate(ends):
        mech.joint(f"j{k}", before, body, ct.Revolute((x, y, 0), (0, 0, 1)))
    system = mech.compile()
    v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    pendulum = system.velocity_index("j0")
    assert abs(v[pendulum]) > 0.1
    assert np.abs(np.delete(v, pendulum)).max() < 1e-6
    assert gap_of_acceleration(system, system.q0, v) < 1e-9


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("name", CATALOGUE)
def test_regular_configurations_have_all_their_velocities(name, coordinates):
    """Redundant rows or not: whatever is admissible begins a motion."""
    mech = CATALOGUE[name][0]().mechanism()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for options in ({}, {"regularize": False}):
            system = mech.compile(coordinates, **options)
            q, v = closed_pose(system, rng), rng.standard_normal(system.nv)
            admissible = ct.consistent_velocity(system, q, v, branches="ignore")
            assert np.array_equal(ct.consistent_velocity(system, q, v, branches="require"), admissible)


def test_near_a_singular_configuration():
    """However near, as long as it is told apart: the one velocity that is admissible begins a motion."""
    system = ct.gallery.parallelogram(angle=0.0).compile()
    line = parallelogram_lines(system)[0]
    for angle in (1e-8, 1e-6, 1e-4, 1e-2):
        q = angle * line
        v = ct.consistent_velocity(system, q, np.ones(3), branches="require")
        assert np.abs(v - v[0] * line / line[0]).max() < 1e-6


def test_a_driver_through_a_singular_configuration():
    """A driven crank: of all admissible velocities two begin a motion, the parallel and the antiparallel one."""
    mech = ct.gallery.parallelogram(angle=0.0)
    mech.drive("crank", "A", lambda t: 2.0 * t)
    system = mech.compile()
    for line in parallelogram_lines(system):
        start = 2.0 * line / line[system.velocity_index("A")]
        found = ct.consistent_velocity(system, system.q0, start + 0.1 * np.ones(3))
        assert np.abs(found - start).max() < 1e-9


def test_redundant_drivers_by_differences():
    """Two drivers of one motion, told by functions of which one gives its derivatives, contradict each other by noise only."""
    mech = ct.gallery.four_bar()
    mech.drive("one", "A", lambda t: np.sin(5.0 * t))
    mech.drive(
        "two",
        "A",
        lambda t: np.sin(5.0 * t),
        rate=lambda t: 5 * np.cos(5 * t),
        acceleration=lambda t: -25 * np.sin(5 * t),
    )
    system = mech.compile()
    for t in (0.1, 0.2):
        q = ct.assemble(system, system.q0, t=t)
        v = ct.consistent_velocity(system, q, np.zeros(3), t, branches="require")
        assert v[system.velocity_index("A")] == pytest.approx(5.0 * np.cos(5.0 * t))


def test_simulation_from_a_singular_configuration():
    """Started between the branches the motion takes the nearest, keeps its loop and its energy."""
    system = flat_parallelogram().compile()
    rng = np.random.default_rng(5)
    for _ in range(3):
        run = ct.simulate(system, 1.0, v=rng.standard_normal(system.nv))
        assert run.status == "done"
        assert np.abs(run.violation).max() < 1e-9
        assert np.ptp(run.energy.total) < 1e-5 * max(1.0, np.abs(run.energy.total).max())


def test_unknown_choice():
    with pytest.raises(ChoiceError, match="'nearby'"):
        ct.consistent_velocity(four_bar().compile(), np.zeros(3), np.ones(3), branches="nearby")
