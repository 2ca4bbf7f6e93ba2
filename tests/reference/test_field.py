"""The benchmark set of the field: solutions that are stored are those of the present code, and of other people's."""

import numpy as np
import pytest

import cotree as ct
from benchmarks.field import storing
from benchmarks.field.catalogue import PROBLEMS
from benchmarks.field.iftomm import bricard, governor_motion, pendulum_motion
from benchmarks.field.newton_euler import Bodies, watched_by_newton_euler
from benchmarks.field.solving import distance

BRIEF = {"A05": 0.2}  # seconds of stiff problems that are solved anew; the others in full
SETTINGS = {"method": "dop853", "rtol": 1e-10, "atol": 1e-10}


@pytest.mark.parametrize("key", PROBLEMS)
def test_stored_solution(key):
    """With tolerances a hundred times larger than those of the stored solution, within what they promise."""
    problem = PROBLEMS[key]
    kept = storing.stored(key)
    assert kept is not None, f"not stored: python -m benchmarks.field {key!r} --store"
    note, rows = kept
    until = BRIEF.get(key, problem.t_end)
    kept = rows[:, 0] <= until * (1 + 1e-12)
    run = ct.simulate(problem.make(), until, v=problem.v, output=rows[kept, 0], **SETTINGS)
    assert run.status == "done"
    assert not run.warnings
    found = np.hstack([run.point(body, point).position for body, point in problem.points])
    assert distance(found, rows[kept, 1:]) < 1e-6
    assert note["error"] < 1e-7


@pytest.mark.parametrize("key", [key for key, p in PROBLEMS.items() if p.known])
def test_published_solutions(key):
    problem = PROBLEMS[key]
    run = problem.simulate(**SETTINGS)
    for known in problem.known:
        assert np.abs(known.find(run) - known.values).max() < known.within


def test_newton_euler_by_itself():
    """The second program against a closed form, also of a body without inertia."""
    point, t = (("mass", (-1.0, 0.0, 0.0)),), np.linspace(0.0, 1.0, 5)
    found = watched_by_newton_euler(PROBLEMS["A01"].make(), point, None, 1.0, t, 1e-10)
    assert found == pytest.approx(pendulum_motion(t), abs=1e-8)


def test_newton_euler_with_redundant_rows():
    mech, t = bricard(), np.linspace(0.0, 0.2, 3)
    point = (("rod 3", (1.0, -1.0, 1.0)),)
    run = ct.simulate(mech, 0.2, output=t, rtol=1e-10, atol=1e-10)
    found = watched_by_newton_euler(mech, point, None, 0.2, t, 1e-9)
    assert found == pytest.approx(run.point(*point[0]).position, abs=1e-8)
    assert len(Bodies(mech).rows) == 18  # a point and two directions for each of six hinges


def test_newton_euler_with_springs_dampers_and_rotors_of_joints():
    """Accelerations of Cassie's leg in motion: by the second program and by the package."""
    mech = PROBLEMS["cassie leg"].make()
    bodies, system = Bodies(mech), mech.compile()
    v = ct.consistent_velocity(system, system.q0, {"knee": 1.3, "hip-roll": -0.7, "shin": 0.2, "hip-yaw": 0.4})
    run = ct.simulate(system, 1e-9, v=v, output=[0.0])
    V = ct.twists(system, run.q[0], run.v[0], "spatial")[[system.row_of(name) for name in mech.bodies]]
    w, n = V[:, :3], bodies.n
    u = V[:, 3:] + np.cross(w, bodies.com)
    still = np.tile([0.0, 0.0, 0.0, 1.0], (n, 1))
    rates = bodies._rates(np.concatenate([bodies.com.ravel(), still.ravel(), u.ravel(), w.ravel()]))
    found = rates[7 * n : 10 * n].reshape(n, 3)
    ours = np.array([run.point(name).acceleration[0] for name in mech.bodies])
    assert np.abs(ours).max() > 10.0
    assert found == pytest.approx(ours, abs=1e-8)


def test_governor_by_two_ways():
    """Ten milliseconds, in which the dampers act most."""
    t = np.linspace(0.0, 0.01, 3)
    problem = PROBLEMS["A05"]
    run = ct.simulate(problem.make(), 0.01, v=problem.v, output=t, **SETTINGS)
    found = np.hstack([run.point(body, point).position for body, point in problem.points])
    assert found == pytest.approx(governor_motion(t), abs=1e-9)


@pytest.mark.parametrize("key", [key for key in PROBLEMS if key != "car axis"])
def test_stored_model(key):
    """A file for others to read: it is the problem."""
    again = ct.load(storing.DATA / f"{storing.name_of(key)}.model.json")
    ours = PROBLEMS[key].make()
    assert list(again.bodies) == list(ours.bodies)
    a, b = again.compile(), ours.compile()
    assert ct.mass_matrix(a, a.q0) == pytest.approx(ct.mass_matrix(b, b.q0), rel=1e-14, abs=1e-18)
    assert (a.nv, a.n_constraints) == (b.nv, b.n_constraints)


def test_page():
    assert storing.PAGE.read_text(encoding="utf-8") == storing.page()
