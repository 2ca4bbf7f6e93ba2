"""Simulations by divide and conquer beside the dense formulations."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError
from cotree.formulations.odca.division import division, use_threads
from cotree.integrate.settings import Settings
from cotree.system.sizes import DIVIDED_RUN
from tests.model.builders import refused

LOOPS = ("four_bar", "spherical_four_bar", "bricard", "three_bar", "snakeboard", "three_prrr")


def both(mechanism, t_end, **words):
    runs = [ct.simulate(mechanism, t_end, formulation=f, **words) for f in ("index1", "odca")]
    assert [r.status for r in runs] == ["done", "done"]
    return runs


@pytest.mark.parametrize("stabilize", ["projection", "baumgarte", "none"])
@pytest.mark.parametrize("name", LOOPS)
def test_the_same_motion(name, stabilize):
    a, b = both(getattr(ct.gallery, name)(), 0.5, stabilize=stabilize, rtol=1e-10, atol=1e-10, output=6)
    assert b.q == pytest.approx(a.q, abs=1e-9)
    assert b.v == pytest.approx(a.v, abs=1e-8)
    assert b.work == pytest.approx(a.work, abs=1e-8)
    if stabilize == "projection":
        assert b.violation.max() < 1e-12
        assert b.velocity_violation.max() < 1e-12
        for name in ("position_correction", "velocity_correction"):
            assert b.statistics[name] == pytest.approx(a.statistics[name], rel=0.2, abs=1e-12)


@pytest.mark.parametrize("name", ["four_bar", "bennett", "n_four_bar"])
def test_absolute_coordinates(name):
    mech = getattr(ct.gallery, name)()
    system = mech.compile(coordinates="absolute")
    a, b = both(system, 0.3, rtol=1e-10, atol=1e-10, output=4)
    assert b.poses() == pytest.approx(a.poses(), abs=1e-8)


def test_drivers_forces_and_springs():
    """A driven crank with springs and loads: motions, powers and books."""
    mech = ct.gallery.four_bar()
    names = list(mech.joints)
    mech.drive("motor", names[0], lambda t: 0.3 * np.sin(2.0 * t))
    bodies = list(mech.bodies)
    mech.spring(
        "spring", "ground", (0.5, 0.5, 0.0), bodies[1], (1.0, 1.0, 0.0), stiffness=20.0, length=0.3, damping=0.5
    )
    a, b = both(mech, 1.0, rtol=1e-10, atol=1e-10, output=11)
    assert b.q == pytest.approx(a.q, abs=1e-9)
    assert b.work == pytest.approx(a.work, abs=1e-8)
    assert np.abs(b.energy.balance).max() < 1e-7


@pytest.mark.parametrize("n", [10, 40])
def test_ladders_through_their_singular_configurations(n):
    run = ct.simulate(ct.gallery.n_four_bar(n), 3.5, formulation="odca", output=8)
    other = ct.simulate(ct.gallery.n_four_bar(n), 3.5, formulation="projection", output=8)
    assert [c.branch for c in run.crossings] == ["same"] * 4
    assert [c.t for c in run.crossings] == pytest.approx([c.t for c in other.crossings], abs=1e-5)
    assert run.q == pytest.approx(other.q, abs=1e-5)
    assert run.violation.max() < 1e-12
    assert np.abs(run.energy.balance).max() < 1e-6 * run.energy.kinetic[0] * n


def test_large_systems_are_divided_without_being_asked():
    small, large = ct.gallery.n_four_bar(5).compile(), ct.gallery.n_four_bar(DIVIDED_RUN).compile()
    assert Settings().resolved(small).formulation == "auto"
    assert Settings().resolved(large).formulation == "odca"
    assert Settings(stabilize="partition").resolved(large).formulation == "auto"
    assert Settings(method="generalized-alpha").resolved(large).formulation == "auto"
    run = ct.simulate(large, 0.2, v=ct.consistent_velocity(large, large.q0, np.ones(large.nv)), output=3)
    assert run.status == "done"
    assert "odca" in str(run.settings)


def test_large_systems_with_rows_of_the_user_are_not():
    mech = ct.gallery.n_four_bar(DIVIDED_RUN)
    mech.constraint("own", lambda q: np.zeros((1, len(q))))
    assert Settings().resolved(mech.compile()).formulation == "auto"


def test_large_systems_of_points_are_not():
    """Points on spherical joints have no inertia about their centres, by which to divide: the matrices serve them."""
    mech = ct.Mechanism("rope of points", gravity=(0.0, 0.0, -9.81))
    above = mech.ground
    for k in range(DIVIDED_RUN // 3 + 2):
        body = mech.body(f"point{k}", 1.0, (k + 1.0, 0.0, 0.0), (1e-3, 1e-3, 1e-3) if k % 2 else (0.0, 0.0, 0.0))
        mech.joint(f"joint{k}", above, body, ct.Spherical((float(k), 0.0, 0.0)))
        above = body
    mech.distance("held", "ground", (0.0, 0.0, 5.0), above, (DIVIDED_RUN // 3 + 2.0, 0.0, 0.0))
    system = mech.compile()
    assert system.nv > DIVIDED_RUN
    assert Settings().resolved(system).formulation == "auto"


def test_more_coordinates_than_matrices_could_hold():
    """400 loops, 801 coordinates: closed by division before the start too."""
    system = ct.gallery.n_four_bar(400).compile()
    q = system.q0 + 1e-4 * np.sin(np.arange(system.nq))
    run = ct.simulate(system, 0.05, q, np.ones(system.nv), output=2)
    assert run.status == "done"
    assert run.settings.formulation == "odca"
    assert run.violation.max() < 1e-11
    assert run.velocity_violation.max() < 1e-10
    found = ct.forward_dynamics(system, run.q[-1], run.v[-1])
    assert found.v_dot == pytest.approx(ct.forward_dynamics(system, run.q[-1], run.v[-1], formulation="odca").v_dot)
    assert run.reactions("A0").shape == (2, 6)


@pytest.mark.parametrize(
    ("words", "said"),
    [({"method": "generalized-alpha"}, "'generalized-alpha'"), ({"stabilize": "partition"}, "'partition'")],
)
def test_what_needs_matrices_is_refused(words, said):
    with refused(ChoiceError, said, "odca"):
        ct.simulate(ct.gallery.four_bar(), 1.0, formulation="odca", **words)


def test_threads_change_nothing():
    """To the last bit, in a run and in an evaluation."""
    system = ct.gallery.n_four_bar(80).compile()
    v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    use_threads(system, 1)
    alone = ct.simulate(system, 0.05, v=v, formulation="odca", output=3)
    found = ct.forward_dynamics(system, system.q0, v, formulation="odca")
    assert use_threads(system, 2).threads == division(system).threads == 2
    together = ct.simulate(system, 0.05, v=v, formulation="odca", output=3)
    again = ct.forward_dynamics(system, system.q0, v, formulation="odca")
    assert alone.q.tobytes() == together.q.tobytes()
    assert alone.v.tobytes() == together.v.tobytes()
    assert found.v_dot.tobytes() == again.v_dot.tobytes()
    assert found.multipliers.tobytes() == again.multipliers.tobytes()
