"""What `print` and notebooks show of rest positions, steady motions, linearizations and many runs."""

import numpy as np

import cotree as ct
from cotree._shown import MOST, listed
from cotree.gallery import four_bar, pendulum_chain


def test_a_rest_position():
    mech = pendulum_chain(2)
    found = ct.equilibrium(mech)
    text = str(found)
    assert text.startswith(f"{found.system.name}: rest position, stable; potential energy {found.potential:.6g} J")
    for name, x in zip(found.system.q_names, found.q, strict=True):
        assert f"{name} {x:.6g} rad" in text
    assert "reactions of all joints are unique" in text
    assert "<pre" in found._repr_html_()
    both = ct.equilibrium(mech, starts=20)
    assert f"{len(both.others)} rest positions were found" in str(both)
    held = ct.equilibrium(mech, fixed=[found.system.q_names[0]])
    assert f"held by {found.system.q_names[0]} {held.holding[found.system.q_names[0]]:.6g}" in str(held)
    assert "leave open how joints share the load" in str(ct.equilibrium(four_bar()))


def test_a_steady_motion():
    mech = ct.Mechanism("rotor", gravity=(0.0, 0.0, 0.0))
    mech.body("disk", 1.0, (0, 0, 0), (0.1, 0.1, 0.2))
    mech.joint("A", "ground", "disk", ct.Revolute((0, 0, 0), (0, 0, 1)))
    text = str(ct.steady_motion(mech, v={"A": 3.0}))
    assert text.startswith("rotor: steady motion, stable\n")
    assert "velocities A 3 rad/s" in text
    assert "linearized about a steady motion\n" in str(ct.linearize(mech, v={"A": 3.0}))


def test_a_linearization():
    mech = pendulum_chain(1)
    down = ct.equilibrium(mech)
    linear = ct.linearize(mech, down.q)
    assert "linearized about a rest position\n" in str(linear)
    assert f"{linear.frequencies[0]:.4g} Hz, damping 0" in str(linear)
    away = str(ct.linearize(mech, down.q + 0.5))
    assert "a state that is not steady" in away


def test_many_runs():
    v = np.array([[0.1], [1e200], [0.2]])
    text = str(ct.simulate_many(pendulum_chain(1), 0.1, v=v, output=2))
    assert text.startswith("3 runs: 2 done, 1 failed\n")
    assert "number 1: acceleration at the start" in text


def test_long_lists_are_cut():
    assert listed(str(i) for i in range(MOST)).endswith(str(MOST - 1))
    assert listed(str(i) for i in range(MOST + 3)).endswith("and 3 more")
