"""Derivatives of constraint rows in closed form against differences of eighth order, for every kind of row."""

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives.constraints import by_differences, constraint_changes, jets_of
from tests import closed_mechanisms
from tests.extending.slot import Slot
from tests.random_mechanisms import error

TOLERANCE = 1e-9


def bench():
    """Two free bodies, a ball joint and a universal one, drivers, gears, distances, a knife edge and a rolling disk."""
    mech = ct.Mechanism("bench")
    a = mech.body("a", 1.0, (0.5, 0, 0.4), (0.1, 0.12, 0.15))
    b = mech.body("b", 0.7, (1.3, 0.2, 0.6), (0.05, 0.06, 0.07))
    c = mech.body("c", 0.4, (1.9, 0.4, 0.3), (0.02, 0.03, 0.025))
    wheel = mech.body("wheel", 0.3, (3, 0, 0.5), (0.01, 0.02, 0.01))
    mech.joint("A", mech.ground, a, ct.Cylindrical((0, 0, 0), (0, 1, 0.3)))
    mech.joint("B", a, b, ct.Spherical((1, 0, 0.1)))
    mech.joint("C", b, c, ct.Universal((1.6, 0.3, 0.2), (1, 0, 0.2), (0, 1, 0)))
    mech.joint("W", mech.ground, wheel, ct.Free())
    mech.distance("rod", a, (0.2, 0.3, 0.4), wheel, (3, 0.2, 0.5))
    mech.knife_edge("edge", c, (2.0, 0.4, 0.3), (0.2, 1.0, 0.1))
    mech.rolling("roll", wheel, (3, 0, 0.5), 0.5, axis=(0.1, 1, 0.2))
    mech.joint("D", c, mech.ground, ct.Universal((2.2, 0.5, 0.1), (0, 0, 1), (0, 1, 0)))
    mech.joint("E", wheel, a, ct.Helical((0.7, 0.6, 0.2), (0.3, 1, 0.2), 0.2))
    mech.drive("pull", "E", lambda t: 0.1 * t * t)
    return mech


def systems():
    yield "bench", bench().compile(cut=["D", "E"])
    yield "bench absolute", bench().compile(coordinates="absolute")
    for name in ("stewart", "sarrus", "delta"):
        yield name, getattr(closed_mechanisms, name)().compile(regularize=False)
        yield f"{name} absolute", getattr(closed_mechanisms, name)().compile(coordinates="absolute")
    yield "four-bar", ct.gallery.four_bar().compile()
    yield "rolling disk", ct.gallery.rolling_disk().compile()


@pytest.mark.parametrize(("name", "system"), [pytest.param(*pair, id=pair[0]) for pair in systems()])
def test_closed_forms_by_differences(name, system):
    """Also where the loops are open."""
    rng = np.random.default_rng(3)
    q = ct.displace(system, system.q0, 0.1 * rng.normal(size=system.nv))
    v, v_dot = rng.normal(size=(2, system.nv))
    lam = rng.normal(size=system.n_constraints)
    assert jets_of(system)[1] is not None
    found, expected = (f(system, q, v, v_dot, lam, 0.3) for f in (constraint_changes, by_differences))
    for a, b in zip(found, expected, strict=True):
        assert error(a, b) < TOLERANCE


def test_kinds_without_jets_are_differenced():
    mech = ct.gallery.four_bar()
    mech.add(Slot("slot", "crank", (0.3, 0.4, 0), (0.6, 0.8, 0.1), "rocker", (2.45, 0.7, 0.1)))
    system = mech.compile()
    assert jets_of(system)[1] is None
    q, v = system.q0, np.array([0.3, -0.2, 0.4])
    found = constraint_changes(system, q, v, v, np.ones(system.n_constraints), 0.0)
    rate = np.array([ct.theory.constraint_jacobian_rate(system, q, e) @ v for e in np.eye(system.nv)]).T
    assert error(found.velocity_dq, rate) < TOLERANCE
