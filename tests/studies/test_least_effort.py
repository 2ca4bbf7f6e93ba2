"""Motions of least effort by direct collocation: against a closed form, with a loop, and what is refused."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, StudyError, UnknownNameError

pytest.importorskip("casadi", reason="the package casadi is not installed")


def slider():
    mech = ct.Mechanism("slider", gravity=(0, 0, 0))
    mech.joint("rail", "ground", mech.body("mass", 2.0, (0, 0, 0), (1, 1, 1)), ct.Prismatic(axis=(1, 0, 0)))
    return mech


def test_rest_to_rest_in_closed_form():
    """The least effort that moves a mass by d in a time T is 12 m^2 d^2 / T^3, with a force that falls linearly."""
    found = ct.least_effort(slider(), 1.5, ["rail"], {"rail": 0.8}, steps=10)
    assert found.effort == pytest.approx(12 * 2.0**2 * 0.8**2 / 1.5**3, rel=1e-8)
    assert np.abs(found.force[:, 0] - 6 * 2.0 * 0.8 / 1.5**2 * (1 - 2 * found.force_t / 1.5)).max() < 1e-6
    assert found.at(0.3)[0] == pytest.approx(6 * 2.0 * 0.8 / 1.5**2 * (1 - 0.4), abs=1e-6)
    assert not found.at(1.6).any()
    run = found.run()
    assert abs(run.q[-1, 0] - 0.8) < 1e-7
    assert abs(run.v[-1, 0]) < 1e-7


def test_a_loop_stays_closed():
    """A four-bar to another rest position: the motion found is that of a run, whose loop is closed."""
    mech = ct.gallery.four_bar()
    found = ct.least_effort(mech, 1.0, ["A"], {"A": 0.5}, steps=12)
    system = mech.compile()
    assert max(np.abs(ct.constraint_residual(system, q)).max() for q in found.q) < 1e-4
    assert abs(found.run().joint("A").angle[-1] - 0.5) < 1e-4


def crank_rocker():
    """A heavy crank that turns round, with a coupler and a rocker."""
    mech = ct.Mechanism("crank rocker", gravity=(0, -9.81, 0))
    A, B, C, D = (0, 0, 0), (0, -0.3, 0), (0.46, 0.59, 0), (1, 0, 0)
    for name, mass, p, s in (("crank", 2.0, A, B), ("coupler", 0.5, B, C), ("rocker", 0.5, D, C)):
        mech.body(name, mass, com=np.add(p, s) / 2, inertia=(0.02, 0.02, 0.02), shape=ct.Rod(p, s))
    for name, a, b, p in (("A", "ground", "crank", A), ("B", "crank", "coupler", B), ("D", "ground", "rocker", D)):
        mech.joint(name, a, b, ct.Revolute(p, (0, 0, 1)))
    mech.joint("C", "coupler", "rocker", ct.Revolute(C, (0, 0, 1)))
    return mech


def test_a_loop_swings_up():
    """With two thirds of the torque that would lift the crank it swings back first, then up."""
    mech = crank_rocker()
    lifting = 9.81 * (2.0 * 0.15 + 0.5 * 0.5 * 0.3)  # of the crank, with half of the coupler at its end, held level
    assert lifting > 1.5 * 2.0
    found = ct.least_effort(mech, 1.2, ["A"], {"A": np.pi}, most=2.0)
    angle = found.q[:, mech.compile().q_index("A")]
    assert angle.min() < -0.3
    assert np.abs(found.force).max() < 2.0 + 1e-6
    run = found.run()
    assert abs(run.joint("A").angle[-1] - np.pi) < 1e-3
    assert abs(run.joint("A").rate[-1]) < 1e-2
    assert run.violation.max() < 1e-6


def test_refusals():
    mech = slider()
    with pytest.raises(UnknownNameError, match="no coordinate or rate 'rial'"):
        ct.least_effort(mech, 1.0, ["rail"], {"rial": 1.0})
    with pytest.raises(ArgumentError, match="give a dict by names"):
        ct.least_effort(mech, 1.0, ["rail"], {})
    with pytest.raises(ArgumentError, match="name coordinates"):
        ct.least_effort(mech, 1.0, [], {"rail": 1.0})
    with pytest.raises(ArgumentError, match="give 11 rows of 2 states"):
        ct.least_effort(mech, 1.0, ["rail"], {"rail": 1.0}, steps=10, guess=[1.0])
    with pytest.raises(StudyError, match="no motion was found"):
        ct.least_effort(mech, 1.0, ["rail"], {"rail": 1.0}, most=0.1, steps=5)
