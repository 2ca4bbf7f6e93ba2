"""Accelerations at singular configurations: those of the motion that passes there, or words that none is right."""

import copy
import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import SingularWarning
from cotree.formulations import careful, forward
from tests.closed_mechanisms import triangle

FORMULATIONS = ("auto", "index1", "projection", "voronets", "odca")
Z = (0, 0, 1)


def parallelogram(angle, other=1.5, **options):
    """Cranks of 1 m with masses of 1 kg and another one, coupler of 2 m and 2 kg, under gravity."""
    d, A, B = np.array([np.cos(angle), np.sin(angle), 0.0]), np.zeros(3), np.array([2.0, 0.0, 0.0])
    mech = ct.Mechanism("parallelogram", gravity=(0, -9.81, 0))
    mech.body("a", 1.0, A + d / 2, (0.1, 0.1, 0.1))
    mech.body("c", 2.0, B / 2 + d, (0.2, 0.2, 0.2))
    mech.body("b", other, B + d / 2, (0.1, 0.1, 0.1))
    mech.joint("A", "ground", "a", ct.Revolute(A, Z))
    mech.joint("P", "a", "c", ct.Revolute(A + d, Z))
    mech.joint("Q", "c", "b", ct.Revolute(B + d, Z))
    mech.joint("B", "b", "ground", ct.Revolute(B, Z))
    return mech.compile(**options)


def exact(angle, other=1.5):
    """Of the crank: weight over inertia, the cranks turning alike."""
    return -9.81 * np.cos(angle) * (0.5 + other / 2 + 2.0) / (0.25 + 0.1 + other / 4 + 0.1 + 2.0)


def turning(system, angle, rate=1.3):
    """Velocity of the parallelogram with both cranks turning."""
    twists = np.array([ct.twists(system, system.q0, e, "spatial").ravel() for e in np.eye(system.nv)]).T
    wanted, (s, c) = np.zeros((4, 6)), (np.sin(angle), np.cos(angle))
    for name, x in {"a": (0, 0, 1, 0, 0, 0), "c": (0, 0, 0, -s, c, 0), "b": (0, 0, 1, 0, -2, 0)}.items():
        wanted[system.row_of(name)] = rate * np.array(x)
    return np.linalg.lstsq(twists, wanted.ravel(), rcond=None)[0]


def crank(system, v, found):
    return ct.accelerations(system, system.q0, v, found.v_dot, "spatial")[system.row_of("a")][2]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("options", [{}, {"regularize": False}, {"coordinates": "absolute"}])
@pytest.mark.parametrize("angle", [0.0, 1e-11, 1e-9, 1e-7, 3e-7, 1e-6, 1e-5])
def test_moving_through_the_flat_parallelogram(angle, options, formulation):
    """Measured: 3e-8 rad/s^2. Without the derivative of the row that vanishes it is 1.07 off, by O-DCA from 3e-7 rad on."""
    system = parallelogram(angle, **options)
    v = turning(system, angle)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ct.forward_dynamics(system, system.q0, v, formulation=formulation)
    assert abs(crank(system, v, found) - exact(angle)) < 1e-6
    assert found.singular == (angle < 2e-9) or angle == 1e-9
    assert not found.doubt


def test_rows_that_change_with_time():
    """A row that vanishes where two moving guides x = a(t), y = b(t) cross: its derivative along the motion is needed."""
    mech = ct.Mechanism("guides", gravity=(0, 0, 0))
    body = mech.body("bead", 2.0, (0, 0, 0), (1, 1, 1))
    mech.joint("plane", mech.ground, body, ct.PlanarTranslation(normal=Z))
    x, y = mech.compile().q0  # the bead is on the first guide, which shakes quickly, and passes the second
    a = (lambda t: x + 0.3 * t + 1e-6 * (1 - np.cos(2500 * t)), lambda t: 0.3 + 2.5e-3 * np.sin(2500 * t))
    b = (lambda t: y + 800.0 * t, lambda t: 800.0)
    mech.constraint(
        "either",
        lambda q, t: [[q[1] - b[0](t), q[0] - a[0](t)]],
        residual=lambda q, t: [(q[0] - a[0](t)) * (q[1] - b[0](t))],
        rate=lambda q, t: [a[1](t) * (q[1] - b[0](t)) + b[1](t) * (q[0] - a[0](t))],
        bias=lambda q, v, t: [6.25 * np.cos(2500 * t) * (q[1] - b[0](t)) - 2.0 * (v[0] - a[1](t)) * (v[1] - b[1](t))],
    )
    crossing = mech.compile()
    found = ct.forward_dynamics(crossing, crossing.q0, [0.3, 2000.0], formulation="index1")
    assert found.singular
    assert found.v_dot == pytest.approx([6.25, 0.0], abs=1e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_driven_crank_and_slow_motion(formulation):
    """The other crank follows a driver, which leaves no freedom; and a slow motion, whose derivative is small."""
    system = parallelogram(0.0, other=3.0)
    v = turning(system, 0.0, 1e-5)
    assert crank(system, v, ct.forward_dynamics(system, system.q0, v, formulation=formulation)) == pytest.approx(
        exact(0.0, 3.0), abs=1e-6
    )
    mech = copy.copy(system.mechanism)
    mech.drive("d", "A", lambda t: 0.7 * t + 0.4 * t**2 + 0.1 * t**3)
    driven = mech.compile()
    v = turning(driven, 0.0, 0.7)
    found = ct.forward_dynamics(driven, driven.q0, v, formulation=formulation)
    assert found.singular
    by_name = dict(zip(driven.coordinate_names, found.v_dot, strict=True))
    assert [abs(by_name[n]) for n in by_name] == pytest.approx([0.8] * len(by_name), abs=1e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("make", [lambda: parallelogram(0.0), lambda: triangle(True).compile()])
def test_at_rest_it_says_that_none_is_right(make, formulation):
    """A parallelogram that may fold, and three bars in line that cannot move at all."""
    system = make()
    with pytest.warns(SingularWarning, match=r"loop 1, cut at .*not unique at this singular configuration: at rest"):
        found = ct.forward_dynamics(system, system.q0, formulation=formulation)
    assert found.singular
    assert "not unique" in found.doubt


def test_a_velocity_that_begins_no_motion():
    """One crank turns and the other rests: admissible in the flat configuration, but neither motion."""
    system = parallelogram(0.0)
    v = turning(system, 0.0)
    other = ct.consistent_velocity(system, system.q0, [0.3, 0.0, -0.2], branches="ignore") + 0.2 * v
    with pytest.warns(SingularWarning, match="no motion starts with this velocity"):
        ct.forward_dynamics(system, system.q0, other)


def test_forces_that_grow_without_bound():
    """Next to the flat configuration the coupler's force is that of a lever without an arm; with equal cranks it is none."""
    system = parallelogram(0.0)
    found = ct.forward_dynamics(system, system.q0, turning(system, 0.0))
    assert found.unbounded
    for look in (lambda: found.reactions, lambda: found.constraint_forces):
        with pytest.warns(SingularWarning, match="grow without bound"):
            look()
    alike = parallelogram(0.0, other=1.0)
    found = ct.forward_dynamics(alike, alike.q0, turning(alike, 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found.singular
        assert np.isfinite(found.reaction("A")).all()


@pytest.mark.parametrize("name", ["bennett", "bricard", "four_bar", "double_parallelogram", "spherical_four_bar"])
def test_rows_that_are_redundant_all_along_are_no_singularity(name):
    system = getattr(ct.gallery, name)().compile(regularize=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for v in (np.zeros(system.nv), ct.consistent_velocity(system, system.q0, np.ones(system.nv))):
            found = ct.forward_dynamics(system, system.q0, v)
            assert found.singular is False
            assert found.rank < system.n_constraints


def test_trees_are_never_singular():
    found = ct.forward_dynamics(ct.gallery.planar_3r().compile(), [0.1, 0.2, 0.3])
    assert (found.singular, found.doubt, found.unbounded) == (False, "", False)


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6, 1e9, 1e12])
def test_four_bar_of_very_unlike_bodies(scale, formulation, cut):
    """Coupler and rocker with masses in the ratio scale squared; crank's acceleration by virtual power. Measured: 1e-9."""
    A, B, C, D = (np.array(x) for x in ((0, 0, 0.0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)))
    mech, centres = ct.Mechanism("four-bar", gravity=(0, -9.81, 0)), [A / 2 + B / 2, (1.5, 1.1, 0), (2.45, 0.7, 0)]
    masses, inertias = (1.0, 2 * scale, 1 / scale), (0.1, 0.6 * scale, 0.2 / scale)
    for name, m, c, i in zip(("crank", "coupler", "rocker"), masses, centres, inertias, strict=True):
        mech.body(name, m, c, (i, i, i))
    mech.joint("A", "ground", "crank", ct.Revolute(A, Z))
    mech.joint("B", "crank", "coupler", ct.Revolute(B, Z))
    mech.joint("C", "coupler", "rocker", ct.Revolute(C, Z))
    mech.joint("D", "ground", "rocker", ct.Revolute(D, Z))
    system = mech.compile(cut=[cut])
    w2, w3 = np.linalg.solve(np.transpose([np.cross(Z, C - B)[:2], -np.cross(Z, C - D)[:2]]), -np.cross(Z, B)[:2])
    rates = (1.0, w2, w3)
    speeds = [
        np.cross(Z, centres[0]),
        np.cross(Z, B) + w2 * np.cross(Z, centres[1] - B),
        w3 * np.cross(Z, centres[2] - D),
    ]
    inertia = sum(m * u @ u + i * w * w for m, u, i, w in zip(masses, speeds, inertias, rates, strict=True))
    expected = -9.81 * sum(m * u[1] for m, u in zip(masses, speeds, strict=True)) / inertia
    found = ct.forward_dynamics(system, system.q0, formulation=formulation)
    acc = ct.accelerations(system, system.q0, np.zeros(system.nv), found.v_dot)[system.row_of("crank")][2]
    assert acc == pytest.approx(expected, rel=1e-8)
    assert found.rank == 2


def test_what_is_too_large_to_be_looked_at_says_so(monkeypatch):
    """As if 2 coordinates were many: O-DCA alone, whose pivots tell that the rank has dropped, or is in doubt."""
    monkeypatch.setattr(forward, "DECOMPOSED", 2)
    system = ct.gallery.parallelogram(0.6, gravity=(0, -9.81, 0)).compile()
    q = {"upright": system.q0, "flat": ct.assemble(system, [-0.6, 0.6, -0.6])}
    assert ct.forward_dynamics(system, q["upright"], formulation="odca").singular is False
    with pytest.warns(SingularWarning, match="rank 1 here, 2 elsewhere"):
        found = ct.forward_dynamics(system, q["flat"], formulation="odca")
    assert found.singular is None
    near = parallelogram(2e-6)
    with pytest.warns(SingularWarning, match="pivots of"):
        ct.forward_dynamics(near, near.q0, formulation="odca")
    redundant = ct.gallery.bennett().compile(regularize=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ct.forward_dynamics(redundant, redundant.q0, formulation="odca").singular is None


def test_a_known_rank_is_not_looked_at_again():
    system = ct.gallery.bennett().compile()
    ct.forward_dynamics(system, system.q0)
    assert careful.known_regular(system, 2)
    assert not careful.known_regular(system, 1)
