"""Contacts in `ct.transition`: impulses within their cones beside constraints, against closed forms and runs by events."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, NotFiniteError, SwitchError, UnknownNameError
from tests.contact.scenes import FLOOR, at

DATA = json.loads((Path(__file__).parents[1] / "reference/data/contact_closed_forms.json").read_text())
FORMS = ("general", "redundant", "minimal")


def ball(friction=0.0, restitution=0.0, gap=0.0, r=0.1):
    mech = ct.Mechanism("ball")
    body = mech.body("ball", 1.0, (0, 0, 0), (0.4 * r * r,) * 3, at((0, 0, r + gap)), ct.Sphere((0, 0, 0), r))
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("floor", mech.ground, FLOOR, body, None, friction, restitution)
    return mech.compile()


def stick(friction, restitution, angle):
    """A rod of 1 kg and 1 m in a plane, its lower end on the floor; (x, z, angle from the vertical) of its centre."""
    mech, c = ct.Mechanism("stick"), 0.5 * np.array([np.sin(angle), 0, np.cos(angle)])
    body = mech.body("rod", 1.0, tuple(c), (1 / 12,) * 3)
    mech.joint("plane", mech.ground, body, ct.Planar(c, (0, 1, 0)))
    mech.contact("tip", mech.ground, FLOOR, body, ct.Point((0, 0, 0)), friction, restitution)
    return mech.compile()


def along(system, body, twist):
    """Velocities with which a body has a spatial twist."""
    return np.linalg.lstsq(ct.spatial_jacobian(system, system.q0, body), twist)[0]


def arm(friction=0.0, restitution=0.0, angles=(0.7, 0.5)):
    """Two links with their tip on the floor."""
    mech, p = ct.Mechanism("arm"), [np.array([0.0, 0.0, np.cos(angles[0]) + np.cos(angles[1])])]
    for a in angles:
        p.append(p[-1] + np.array([np.sin(a), 0, -np.cos(a)]))
    below = mech.ground
    for k in range(2):
        middle = tuple(0.5 * (p[k] + p[k + 1]))
        body = mech.body(f"link {k}", 1.0, middle, (1 / 12,) * 3)
        mech.joint(f"J{k}", below, body, ct.Revolute(tuple(p[k]), (0, 1, 0)))
        below = body
    mech.contact("tip", mech.ground, FLOOR, below, ct.Point(tuple(p[2])), friction, restitution)
    return mech.compile()


def books(jump, t=0.0):
    """Momentum and energy of a transition balance, by its own figures and by those of the joints; nothing is created."""
    system, q = jump.system, jump.q
    np.testing.assert_allclose(jump.balance, 0.0, atol=1e-12)
    change = ct.energy(system, q, jump.v).kinetic - ct.energy(system, q, jump.v_before).kinetic
    assert change == pytest.approx(jump.supplied + jump.impulse_work - jump.energy_loss, abs=1e-12)
    assert jump.energy_loss >= 0.0
    wrenches = jump.contacts.on_bodies
    by_bodies = sum(ct.spatial_jacobian(system, q, b).T @ wrenches[system.row_of(b)] for b in system.body_names)
    np.testing.assert_allclose(by_bodies, jump.contacts.generalized, atol=1e-12)
    return jump


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", DATA["sphere_oblique_impact"]["cases"], ids=lambda c: str(c["mu"]))
def test_oblique_impact_of_a_ball(case, form):
    system = ball(case["mu"], 0.5)
    jump = books(ct.transition(system, system.q0, [0, 0, 0, 1.0, 0, -2.0], form=form, contacts=True))
    np.testing.assert_allclose(jump.contact_impulses["floor"], [case["pt"], 0.0, -case["pn"]], atol=1e-12)
    np.testing.assert_allclose(jump.v[[3, 5]], case["v_plus"], atol=1e-12)
    assert 0.1 * jump.v[1] == pytest.approx(-case["omega_r_plus"], abs=1e-12)
    assert jump.law == "newton"
    assert "contact floor: impulse" in str(jump)


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 1.0), (0.01, 1.0), (5.0, 0.3)])
def test_end_of_a_rod_hits_the_floor(friction, restitution):
    """Impacting stick: K P = -(1 + e) u_N along the normal, with friction of sliding or with the end at rest."""
    angle = 0.7
    system = stick(friction, restitution, angle)
    x, z = -0.5 * np.sin(angle), -0.5 * np.cos(angle)  # from the centre to the end
    twist = np.array([0, 0.1, 0, -0.5, 0, -0.4])
    u = np.array([-0.5 + 0.1 * z, -0.4 - 0.1 * x])  # velocity of the end: v + w x r
    centre = np.array([0.5 * np.sin(angle), 0, 0.5 * np.cos(angle)])
    twist[3:] -= np.cross([0, 0.1, 0], centre)  # of what passes the origin
    K = np.eye(2) + 12.0 * np.outer([z, -x], [z, -x])
    direction = np.array([-friction * np.sign(u[0]), 1.0])
    P = -(1 + restitution) * u[1] / (K[1] @ direction) * direction
    if friction > 1.0:
        P = np.linalg.solve(K, [-u[0], -(1 + restitution) * u[1]])
        assert abs(P[0]) < friction * P[1]
    jump = books(ct.transition(system, system.q0, along(system, "rod", twist), contacts=["tip"]))
    np.testing.assert_allclose(jump.contact_impulses["tip"], [-P[0], 0.0, -P[1]], atol=1e-12)


def walled(**options):
    mech = ct.gallery.four_bar()
    rocker = list(mech.bodies)[-1]
    mech.contact("wall", "ground", ct.Plane((2.2, 0, 0), (1, 0, 0)), rocker, ct.Point((2.4, 1.4, 0)), 0.3, 0.5)
    return mech.compile(**options)


@pytest.mark.parametrize("options", [{}, {"coordinates": "absolute"}], ids=["tree", "absolute"])
def test_the_impact_of_a_run_in_a_loop(options):
    run = ct.simulate(walled(**options), 1.5, v={"A": 1.5}, output=2, rtol=1e-9, atol=1e-9)
    switch, hit = run.switches[0], run.impacts[0]
    assert switch.t == hit.t
    for form in FORMS:
        jump = books(ct.transition(run.system, switch.q, switch.v_before, form=form, t=switch.t, contacts=["wall"]))
        np.testing.assert_allclose(jump.v, switch.v, atol=1e-11)
        np.testing.assert_allclose(jump.contact_impulses["wall"], hit.impulses["wall"], atol=1e-11)
        assert jump.energy_loss == pytest.approx(hit.energy_loss, abs=1e-11)
        assert (jump.law, jump.contacts.simultaneous) == (hit.law, hit.simultaneous)


def test_joints_transmit_the_blow_of_a_contact():
    """An arm whose tip hits: forces at the joints are those of momentum, link by link."""
    system = arm(0.2, 0.5)
    jump = books(ct.transition(system, system.q0, [0.3, 0.8], contacts=True))
    assert jump.contacts.hits == ("tip",)
    on_tip = -jump.contact_impulses["tip"]
    dp = []
    for k in range(2):
        middle = system.mechanism.bodies[f"link {k}"].properties.com
        J = ct.spatial_jacobian(system, system.q0, f"link {k}") @ jump.dv
        dp.append(J[3:] + np.cross(J[:3], middle))
    np.testing.assert_allclose(jump.joint_impulses["J1"][3:], dp[1] - on_tip, atol=1e-12)
    np.testing.assert_allclose(jump.joint_impulses["J0"][3:], dp[0] + dp[1] - on_tip, atol=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_lock_that_closes_as_the_tip_hits(restitution):
    """Locks first, then the contact with the rate that they leave: a body that turns about one axis."""
    system = arm(0.0, restitution)
    v = np.array([0.3, 0.8])
    M = ct.mass_matrix(system, system.q0)
    one = np.array([1.0, 0.0])  # the second joint is locked
    rate = (one @ M @ v) / M[0, 0]
    ends = [ct.transition(system, system.q0, v, ["J1"], f, contacts={"tip": restitution}) for f in FORMS]
    for jump in ends:
        books(jump)
        np.testing.assert_allclose(jump.v, [-restitution * rate, 0.0], atol=1e-12)
        np.testing.assert_allclose(jump.multipliers, ends[0].multipliers, atol=1e-12)
        assert set(jump.impulses) == {"lock J1"}
    free = ct.transition(system, system.q0, v, ["J1"])
    np.testing.assert_allclose(free.v, [rate, 0.0], atol=1e-12)
    assert not free.contact_impulses
    assert free.law == ""


def test_what_a_drive_supplies_while_a_ball_falls_on_its_belt():
    mech = ct.Mechanism("belt")
    belt = mech.body("belt", 2.0, (0, 0, -0.1), (0.01,) * 3)
    mech.joint("belt", mech.ground, belt, ct.Prismatic(axis=(1, 0, 0)))
    mech.drive("go", "belt", lambda t: 0.5 * t, rate=lambda t: 0.5, acceleration=lambda t: 0.0)
    body = mech.body("ball", 1.0, (0, 0, 0), (0.004,) * 3, at((0, 0, 0.1)), ct.Sphere((0, 0, 0), 0.1))
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("top", belt, FLOOR, body, None, 0.1, 0.5)
    system = mech.compile()
    jump = books(ct.transition(system, system.q0, [0.5, 0, 0, 0, 0, 0, -2.0], contacts=True))
    P = jump.contact_impulses["top"]
    np.testing.assert_allclose(P, [-0.5 * 2 / 7, 0, -3.0], atol=1e-12)  # ends slip: 2/7 m u
    assert jump.v[0] == pytest.approx(0.5, abs=1e-14)
    assert jump.supplied == pytest.approx(0.5 * 0.5 * 2 / 7, abs=1e-12)


def test_energy_never_grows_also_where_newtons_law_would_create_some():
    """Kane's example: a double pendulum that hits with friction."""
    rng, laws = np.random.default_rng(0), []
    for _ in range(12):
        system = arm(0.7, 0.9, rng.uniform(-1.2, 1.2, 2))
        for v in rng.normal(size=(4, 2)):
            jump = books(ct.transition(system, system.q0, v, contacts=True))
            laws.append(jump.law)
    assert {"newton", "poisson"} <= set(laws)


def test_laws_and_restitutions_that_are_given():
    system = ball(0.2, 0.5)
    v = [0, 0, 0, 1.0, 0, -2.0]
    assert ct.transition(system, system.q0, v, contacts={"floor": 1.0}).v[5] == pytest.approx(2.0)
    for law, up in (("newton", 1.0), ("poisson", 1.0), ("plastic", 0.0)):
        jump = books(ct.transition(system, system.q0, v, contacts="floor", law=law))
        assert jump.v[5] == pytest.approx(up, abs=1e-12)
        assert jump.law == law


def test_a_blow_that_the_floor_takes():
    system = ball(0.0, 0.0)
    jump = books(ct.transition(system, system.q0, np.zeros(6), impulse=[0, 0, 0, 0.3, 0, -2.0], contacts=True))
    np.testing.assert_allclose(jump.v, [0, 0, 0, 0.3, 0, 0], atol=1e-13)
    np.testing.assert_allclose(jump.contact_impulses["floor"], [0, 0, -2.0], atol=1e-12)


def test_four_feet_and_contacts_that_open():
    mech = ct.Mechanism("block")
    body = mech.body("block", 1.0, (0, 0, 0), (0.01,) * 3, at((0, 0, 0.1)), ct.Box((0, 0, 0), (0.2, 0.2, 0.2)))
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("floor", mech.ground, FLOOR, body, None, 0.4)
    mech.contact("wall", mech.ground, ct.Plane((-0.5, 0, 0), (1, 0, 0)), body, None, 0.4)
    system = mech.compile()
    falls = books(ct.transition(system, system.q0, [0, 0, 0, 0, 0, -1.0], contacts=True))
    np.testing.assert_allclose(falls.v, 0.0, atol=1e-12)
    np.testing.assert_allclose(falls.contact_impulses["floor"], [0, 0, -1.0], atol=1e-12)
    assert set(falls.contact_impulses) == {"floor"}  # the wall is away
    assert len(falls.undetermined) == 4
    assert "several at once" in str(falls)
    leaves = ct.transition(system, system.q0, [0, 0, 0, 0, 0, 1.0], contacts=["floor"])
    assert not leaves.contact_impulses["floor"].any()
    assert (leaves.law, leaves.energy_loss, leaves.contacts.hits) == ("", 0.0, ())
    np.testing.assert_array_equal(leaves.v, [0, 0, 0, 0, 0, 1.0])
    with pytest.raises(SwitchError, match=r"'wall' is open, with a gap of 0\.4 m"):
        ct.transition(system, system.q0, np.zeros(6), contacts=["wall"])


def test_what_is_refused():
    system, v = ball(0.1), np.zeros(6)
    with pytest.raises(UnknownNameError, match=r"'flor' is not a contact of 'ball'.*'floor'"):
        ct.transition(system, system.q0, v, contacts="flor")
    with pytest.raises(ArgumentError, match=r"contacts: 3 is not a name"):
        ct.transition(system, system.q0, v, contacts=[3])
    with pytest.raises(SwitchError, match=r"restitution of 'floor' is 1\.5"):
        ct.transition(system, system.q0, v, contacts={"floor": 1.5})
    with pytest.raises(NotFiniteError, match="restitution of 'floor'"):
        ct.transition(system, system.q0, v, contacts={"floor": np.nan})
    with pytest.raises(ChoiceError, match=r"law is 'newtn'.*did you mean 'newton'"):
        ct.transition(system, system.q0, v, contacts=True, law="newtn")
    deep = ball(gap=-0.01)
    with pytest.raises(SwitchError, match=r"overlap by 0\.01 m"):
        ct.transition(deep, deep.q0, v, contacts=True)
    mech = copy.copy(system.mechanism)
    mech.contact_function("eye", lambda q, t: float(q[-1]))
    seen = mech.compile()
    with pytest.raises(SwitchError, match="'eye' is given by functions"):
        ct.transition(seen, seen.q0, v, contacts=["eye"])
