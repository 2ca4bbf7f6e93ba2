"""Contacts with friction at one instant: impulses against enumeration of all modes, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from cotree.errors import ChoiceError
from cotree.transitions.contacts.cones import cone_table
from cotree.transitions.contacts.impacts import solve_impact
from cotree.transitions.contacts.slipping import doubtful, paradox, solve_slipping
from cotree.transitions.contacts.solve import solve_cones
from tests.transitions.contact_modes import planar_solutions, spatial_solutions, violation


def problem(rng, tangents, regular):
    """Rows W of one to five contacts on a body system with unit masses: G = W W^T, b = W v."""
    m = int(rng.integers(1, 6))
    rows = m * (1 + tangents)
    nv = rows + int(rng.integers(0, 3)) if regular else int(rng.integers(2, rows + 1))
    W, v, mu = rng.normal(size=(rows, nv)), rng.normal(size=nv), rng.uniform(0.0, 1.2, m)
    return W, v, mu, cone_table([1] * m, [tangents] * m, mu)


def check(W, v, mu, cones):
    """Solved, each condition of Coulomb's law to 1e-9, and the kinetic energy has not grown."""
    found = solve_cones(W @ W.T, W @ v, cones)
    scale = np.abs(W @ v).max()
    assert found.solved, found.residual
    assert violation(found.P, found.u, mu) < 1e-9 * scale * (1.0 + np.abs(found.P).max())
    after = v + W.T @ found.P
    assert after @ after <= v @ v * (1.0 + 1e-12)
    return found


@pytest.mark.parametrize("draw", range(10))
def test_planar_problems_have_one_of_the_solutions_among_all_modes(draw):
    rng = np.random.default_rng(draw)
    for _ in range(20):
        W, v, mu, cones = problem(rng, 1, regular=True)
        found, G, b = check(W, v, mu, cones), W @ W.T, W @ v
        every = planar_solutions(G, b, mu)
        assert min(np.abs(found.u - u).max() for _, u, _ in every) < 1e-8
        apart = [u for _, u, _ in every if np.abs(u - every[0][1]).max() > 1e-6]
        assert not apart or doubtful(G, cones, found) != (), "several solutions, and nothing is said"


@pytest.mark.parametrize("draw", range(5))
def test_spatial_problems_obey_the_law_and_small_ones_are_found_among_all_modes(draw):
    rng = np.random.default_rng(100 + draw)
    for _ in range(20):
        W, v, mu, cones = problem(rng, 2, regular=True)
        found = check(W, v, mu, cones)
        if len(mu) < 3:
            every = spatial_solutions(W @ W.T, W @ v, mu, starts=4)
            assert min(np.abs(found.u - u).max() for _, u, _ in every) < 1e-7


@pytest.mark.parametrize("tangents", [1, 2])
def test_redundant_contacts_obey_the_law_too(tangents):
    rng = np.random.default_rng(7)
    for _ in range(60):
        check(*problem(rng, tangents, regular=False))


def feet(places, mu=0.5, push=(0.0, 0.0)):
    """A table of unit mass on feet below its mass centre at height 1, h g = 1: rows of its feet and free velocity."""
    rows = []
    for x, y in places:
        for n in ((0, 0, 1), (1, 0, 0), (0, 1, 0)):
            rows.append(np.concatenate([np.cross((x, y, -1.0), n), n]))
    W = np.array(rows)
    M = np.diag([0.4, 0.4, 0.6, 1.0, 1.0, 1.0])
    v = np.array([0.0, 0.0, 0.0, *push, -1.0])
    return W, M, v, W @ np.linalg.inv(M) @ W.T, cone_table([1] * len(places), [2] * len(places), mu)


def test_forces_of_four_feet_are_named_as_undetermined_and_shared_evenly():
    W, _, v, G, cones = feet([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    found = solve_cones(G, W @ v, cones)
    assert found.solved
    assert found.modes == ("stick",) * 4
    assert found.undetermined == (0, 1, 2, 3)
    np.testing.assert_allclose(found.P[::3], 0.25, atol=1e-9)
    np.testing.assert_allclose(found.u, 0.0, atol=1e-13)


def test_normal_forces_of_three_feet_are_determined_where_nothing_sticks():
    W, _, v, G, cones = feet([(1, 0), (-1, 1), (-1, -1)], mu=0.0, push=(0.3, 0.0))
    found = solve_cones(G, W @ v, cones)
    assert found.undetermined == ()
    np.testing.assert_allclose(found.P[::3], [0.5, 0.25, 0.25], atol=1e-12)


def test_a_table_pushed_beyond_friction_slides_on_all_feet():
    W, M, v, G, cones = feet([(1, 1), (-1, 1), (-1, -1), (1, -1)], mu=0.2, push=(2.0, 0.0))
    found = solve_cones(G, W @ v, cones)
    after = v + np.linalg.solve(M, W.T @ found.P)
    assert found.modes == ("slip",) * 4
    np.testing.assert_allclose(after, [0, 0, 0, 2.0 - 0.2, 0, 0], atol=1e-10)


def test_brakes_and_stops_are_cones_as_well():
    G, b = np.diag([2.0, 1.0, 1.0]), np.array([-1.0, 0.5, 5.0])
    cones = cone_table([1, 0, 0], [0, 1, 1], 0.0, [0.0, 1.0, 1.0])
    found = solve_cones(G, b, cones)
    np.testing.assert_allclose(found.P, [0.5, -0.5, -1.0], atol=1e-12)
    assert found.modes == ("stick", "stick", "slip")


def test_far_scales_leave_the_solution_as_it_is():
    W, _, v, G, cones = feet([(1, 0), (-1, 1), (-1, -1)], mu=0.3, push=(1.0, 0.4))
    plain = solve_cones(G, W @ v, cones)
    small = solve_cones(1e-9 * G, 1e-6 * (W @ v), cones)
    assert small.solved
    np.testing.assert_allclose(small.P, 1e3 * plain.P, rtol=1e-7, atol=1e-7)


def rod(angle, mu):
    """Painleve's rod of unit mass and half length 1, sliding to the right on its lower end: G of normal and tangent."""
    # lower end at -(cos, sin) from the centre, inertia 1/3
    W = np.array([[-np.cos(angle), 0.0, 1.0], [np.sin(angle), 1.0, 0.0]])
    return W @ np.diag([3.0, 1.0, 1.0]) @ W.T, cone_table([1], [1], mu)


def test_painleves_rod_is_named_between_its_two_angles_only():
    """benchmarks: A = 1 + 3 cos (cos - mu sin), negative for mu = 1.4 between 0.97015541598828 and 1.2208903967894387."""
    for angle, bad in [(0.9, False), (0.9701, False), (0.9702, True), (1.1, True), (1.2208, True), (1.221, False)]:
        G, cones = rod(angle, 1.4)
        assert paradox(G, cones, {0: [-1.0]}) == ((0,) if bad else ()) or paradox(G, cones, {0: [1.0]}) == (
            (0,) if bad else ()
        )
        assert [paradox(G, cones, {0: [s]}) for s in (-1.0, 1.0)].count((0,)) == int(bad)
    G, cones = rod(1.1071487177940904, 1.3333)
    assert {paradox(G, cones, {0: [s]}) for s in (-1.0, 1.0)} == {()}


def test_too_many_slipping_contacts_are_not_judged():
    cones = cone_table([1] * 13, [1] * 13, 0.1)
    assert paradox(np.eye(26), cones, {i: [1.0] for i in range(13)}) is None


def test_friction_of_rest_holds_and_drops_to_that_of_motion():
    """A block of unit mass pressed with 10 and pulled: mu_s = 0.5 holds up to 5, then mu = 0.3 leaves pull - 3."""
    cones, G = cone_table([1], [1], 0.3), np.eye(2)
    holds = solve_slipping(G, np.array([-10.0, 4.9]), cones, {}, static=[0.5])
    slips = solve_slipping(G, np.array([-10.0, 5.1]), cones, {}, static=[0.5])
    slides = solve_slipping(G, np.array([-10.0, 4.9]), cones, {0: [1.0]}, static=[0.5])
    assert holds.modes == ("stick",)
    assert slips.modes == slides.modes == ("slip",)
    np.testing.assert_allclose(holds.P, [10.0, -4.9])
    np.testing.assert_allclose([slips.u[1], slides.u[1]], [2.1, 1.9])


@pytest.mark.parametrize(
    ("mu", "mode", "P", "v"),
    [
        (0.05, "slip", (3.0, -0.15), (0.85, 1.0, -0.375)),
        (0.1, "stick", (3.0, -2.0 / 7.0), (5.0 / 7.0, 1.0, -5.0 / 7.0)),
        (0.5, "stick", (3.0, -2.0 / 7.0), (5.0 / 7.0, 1.0, -5.0 / 7.0)),
    ],
)
@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_oblique_impact_of_a_sphere(mu, mode, P, v, law):
    """Closed form: sticks if mu (1 + e) |v_n| >= 2/7 |v_t|. v = (x, y, omega r), mass 1, e = 0.5."""
    W, Minv, before = np.array([[0, 1, 0], [1, 0, 1.0]]), np.diag([1.0, 1.0, 2.5]), np.array([1.0, -2.0, 0.0])
    found = solve_impact(W @ Minv @ W.T, W @ before, cone_table([1], [1], mu), 0.5, law)
    assert found.law == law
    assert found.solved
    np.testing.assert_allclose(found.P, P, atol=1e-12)
    np.testing.assert_allclose(before + Minv @ W.T @ found.P, v, atol=1e-12)
    assert law == "poisson" or found.solution.modes == (mode,)


def test_three_balls_of_a_cradle_share_the_impulse_of_one_instant():
    """Newton's law at once in both contacts: (-1/3, 2/3, 2/3), with the energy kept."""
    W = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    found = solve_impact(W @ W.T, W @ [1.0, 0, 0], cone_table([1, 1], [0, 0], 0.0), 1.0)
    np.testing.assert_allclose(np.array([1.0, 0, 0]) + W.T @ found.P, [-1 / 3, 2 / 3, 2 / 3], atol=1e-12)
    assert abs(found.work) < 1e-12


def test_newtons_law_gives_way_where_it_creates_energy():
    """Kane's example is of this kind: a lever that turns friction into lift, e = 1."""
    rng, seen = np.random.default_rng(3), set()
    for _ in range(200):
        W, v, _, cones = problem(rng, 1, regular=True)
        found = solve_impact(W @ W.T, W @ v, cones, 0.9)
        seen.add(found.law)
        assert found.work <= 1e-10
        after = v + W.T @ found.P
        assert after @ after <= v @ v * (1.0 + 1e-10)
    assert {"newton", "poisson"} <= seen


def test_unknown_laws_are_refused():
    with pytest.raises(ChoiceError, match="'newton', 'poisson', 'plastic'"):
        solve_impact(np.eye(1), np.ones(1), cone_table([1], [0], 0.0), 0.5, law="stronge")


def test_walls_that_nothing_can_leave_are_not_solved():
    """Two stops that close on one coordinate from both sides: no impulse helps, and the residual says so."""
    G = np.array([[1.0, -1.0], [-1.0, 1.0]])
    found = solve_cones(G, np.array([-1.0, -1.0]), cone_table([1, 1], [0, 0], 0.0))
    assert not found.solved
