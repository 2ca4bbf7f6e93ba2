"""Floquet multipliers against Hill's equation, and equations along runs."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree.errors import ArgumentError, ShapeError, StudyError

G, L = 9.81, 1.0


def shaken(amplitude, frequency):
    """A pendulum, hanging, whose pivot is driven up and down."""
    w = 2.0 * np.pi * frequency
    mech = ct.Mechanism("shaken", gravity=(0, -G, 0))
    mech.body("carriage", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.body("bob", mass=2.0, com=(0, -L, 0), inertia=(0, 0, 0))
    mech.joint("lift", "ground", "carriage", ct.Prismatic(axis=(0, 1, 0)))
    mech.joint("hinge", "carriage", "bob", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint_damper("oil", "hinge", damping=0.3)
    mech.drive("shaking", "lift", lambda t: amplitude * (1.0 - np.cos(w * t)))
    return mech, w


@pytest.mark.parametrize("amplitude", [0.05, 0.4])
def test_hill(amplitude):
    """theta'' + c theta' + (g + y'') / l theta = 0; the second one is parametrically excited."""
    mech, w = shaken(amplitude, 1.0)
    period = 2.0 * np.pi / w
    found = ct.floquet(mech, period, rtol=1e-10, atol=1e-10)

    def hill(t, y):
        lift = amplitude * w**2 * np.cos(w * t)
        return [y[1], -0.3 / (2.0 * L**2) * y[1] - (G + lift) / L * y[0]]

    columns = [solve_ivp(hill, (0.0, period), e, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1] for e in np.eye(2)]
    expected = np.linalg.eigvals(np.array(columns).T)
    assert found.states == ("hinge", "hinge.rate")
    assert np.abs(np.sort_complex(found.multipliers) - np.sort_complex(expected.astype(complex))).max() < 1e-8
    assert found.stable == bool(np.abs(expected).max() <= 1.0)
    assert abs(np.prod(found.multipliers) - np.exp(-0.15 * period)) < 1e-9  # Liouville
    assert np.abs(np.exp(found.exponents * period) - found.multipliers).max() < 1e-12
    assert "periodic motion" in str(found)


def test_free_motion_has_a_multiplier_of_one():
    """A four-bar on a spring that is let go at rest is there again when it turns back for the second time; nothing is lost."""
    mech, tight = ct.gallery.four_bar(), {"rtol": 1e-12, "atol": 1e-12}
    mech.joint_spring("coil", "A", stiffness=60.0)
    there = ct.simulate(
        mech, 20.0, events=[ct.Event(lambda v: v[0], "turns back", terminal=True, direction=-1)], **tight
    )
    assert there.status == "event"
    found = ct.floquet(mech, float(there.t[-1]), **tight)
    assert len(found.multipliers) == 2
    assert np.abs(np.prod(found.multipliers) - 1.0) < 1e-8
    assert np.abs(found.monodromy @ _along(found) - _along(found)).max() < 1e-7 * np.abs(_along(found)).max()


def _along(found):
    """The motion itself: a departure that comes back as it was."""
    s = found.run.system
    a = ct.forward_dynamics(s, found.run.q[0], found.run.v[0]).v_dot
    return np.array(
        [a[s.v_index(n[:-5])] if n.endswith(".rate") else found.run.v[0, s.v_index(n)] for n in found.states]
    )


def test_complaints():
    mech = ct.gallery.pendulum_chain(1)
    with pytest.raises(StudyError, match="does not come back"):
        ct.floquet(mech, 0.5, q=[0.5])
    with pytest.raises(ArgumentError, match="needs a run"):
        ct.linearize_along(mech)
    run = ct.simulate(mech, 1.0, q=[0.5], output=11)
    with pytest.raises(ShapeError, match="times in seconds"):
        ct.linearize_along(run, times="x")


def test_along_a_run():
    """A at the rows against the pendulum's equation, g / l cos(q)."""
    mech = ct.gallery.pendulum_chain(1)
    run = ct.simulate(mech, 1.0, q=[0.5], output=11)
    found = ct.linearize_along(run)
    p = mech.bodies["link1"].properties
    inertia = p.inertia[2, 2] + p.mass * (p.com @ p.com)
    expected = -p.mass * 9.81 * np.abs(p.com[1]) / inertia * np.cos(run.q[:, 0])
    assert np.abs(np.array([x.A[1, 0] for x in found]) - expected).max() < 1e-9
    assert len(ct.linearize_along(run, times=[0.0, 0.5])) == 2
