"""The heavy top of Brüls and Cardona: spin 150 rad/s, two seconds, that is 48 turns.

Tolerances: kynema's integrator is of second order with steps of 2e-6 s, and its figures are 1.2e-7 off the Euler equations
solved by DOP853 at 1e-13 (below); EXUDYN prints five digits.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from tests.descriptions import same_state
from tests.reference.published import figures, place

TOP = figures("heavy_top")
COM, J = np.array(TOP["X_com_in_body"], dtype=float), np.array(TOP["J_com_body"])
OMEGA = np.array(TOP["initial"]["omega_body"])
CHOICES = {
    "relative": {},
    "absolute SE3": {"coordinates": "absolute"},
    "absolute SO3xR3": {"coordinates": "absolute", "group": "SO3xR3"},
}


def top():
    mech = ct.Mechanism("heavy top", TOP["gravity"])
    body = mech.body("top", TOP["mass"], COM, J)
    mech.joint("pivot", mech.ground, body, ct.Spherical(TOP["fixed_point"]))
    return mech


def motion(choice, times, **words):
    system = top().compile(**CHOICES[choice])
    tree = top().compile()
    q, v = same_state(system, tree, tree.q0, OMEGA)
    return ct.simulate(system, times[-1], q, v, output=[0.0, *times], **words)


def rotations(quaternions):
    """(k, 3, 3)."""
    w, x, y, z = np.array(quaternions).T
    return np.moveaxis(np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]), 2, 0)  # fmt: skip


def by_euler(times):
    """(k, 4) quaternions and (k, 3) body-fixed angular velocities by Euler's equations about the pivot."""
    m, g = TOP["mass"], np.array(TOP["gravity"])
    about_pivot = np.diag(J) + m * (COM @ COM * np.eye(3) - np.outer(COM, COM))

    def rates(t, y):
        (w, *u), omega = y[:4], y[4:]
        moment = np.cross(COM, m * rotations([y[:4]])[0].T @ g)
        turn = 0.5 * np.array([-np.dot(u, omega), *(w * omega + np.cross(u, omega))])
        return np.concatenate([turn, np.linalg.solve(about_pivot, moment - np.cross(omega, about_pivot @ omega))])

    found = solve_ivp(rates, (0, times[-1]), [1, 0, 0, 0, *OMEGA], "DOP853", times, rtol=1e-13, atol=1e-13).y.T
    return found[:, :4], found[:, 4:]


def test_the_gallery_has_it():
    mech, own = ct.gallery.spinning_top(), top()
    a, b = (m.bodies["top"].properties for m in (mech, own))
    assert (a.mass, *a.com, *np.diag(a.inertia)) == (b.mass, *b.com, *np.diag(b.inertia))
    assert (*mech.gravity, *mech.joints["pivot"].joint.point) == (*own.gravity, *own.joints["pivot"].joint.point)
    assert (mech.v_start == OMEGA).all()


@pytest.mark.parametrize("choice", CHOICES)
def test_against_kynema(choice):
    published = TOP["kynema"]
    run = motion(choice, [float(t) for t in published], rtol=1e-10, atol=1e-10)
    turns = rotations([p["q"] for p in published.values()])
    assert np.abs(place(run, "top", COM)[1:] - COM - [p["u"] for p in published.values()]).max() < 2e-7
    assert np.abs(run.poses()[1:, 1, :3, :3] - turns).max() < 4e-7
    assert np.abs(run.energy.balance).max() < 1e-4  # of 5436 J


@pytest.mark.parametrize("choice", CHOICES)
def test_against_euler_equations(choice):
    times = [0.2, 0.8, 1.0]
    run = motion(choice, times, rtol=1e-12, atol=1e-12)
    quaternions, omegas = by_euler(times)
    assert np.abs(run.poses()[1:, 1, :3, :3] - rotations(quaternions)).max() < 1e-9
    tree = run.v[1:, :3] if choice != "relative" else run.v[1:]
    assert np.abs(tree - omegas).max() < 1e-8
    assert np.abs(run.v[:, 1] - 150.0).max() < 1e-8  # symmetric: it keeps its spin


@pytest.mark.parametrize("choice", CHOICES)
def test_against_exudyn_with_the_default_tolerance(choice):
    run = motion(choice, [TOP["exudyn"]["t"]])
    assert np.abs(run.poses()[-1, 1, :3, :3] - rotations([TOP["exudyn"]["q"]])[0]).max() < 2e-5


@pytest.mark.parametrize("formulation", ["auto", "index1", "projection", "voronets", "odca"])
@pytest.mark.parametrize("choice", CHOICES)
def test_first_acceleration(choice, formulation):
    start = TOP["initial"]
    system = top().compile(**CHOICES[choice])
    q, v = same_state(system, top().compile(), top().compile().q0, OMEGA)
    found = ct.forward_dynamics(system, q, v, formulation=formulation).v_dot
    alpha, a = np.split(ct.accelerations(system, q, v, found, "spatial")[1], 2)
    at_centre = a + np.cross(alpha, COM) + np.cross(OMEGA, start["v_com"])
    assert alpha == pytest.approx(np.array(start["omega_dot_body_t0"]), abs=1e-9)
    assert at_centre == pytest.approx(np.array(start["a_com_t0"]), abs=1e-9)


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets", "odca"])
def test_formulations_over_time(formulation):
    run = motion("absolute SE3", [1.0], rtol=1e-10, atol=1e-10, formulation=formulation)
    assert np.abs(place(run, "top", COM)[-1] - COM - TOP["kynema"]["1.0"]["u"]).max() < 2e-7
