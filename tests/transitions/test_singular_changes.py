"""Singular topology changes [VTM, Definition 1]: recognised where there are some, and only there."""

import numpy as np
import pytest

import cotree as ct
from cotree.integrate.results import certificate
from cotree.transitions import regularity
from tests.closed_mechanisms import CATALOGUE, flat_parallelogram, single_loop
from tests.constraints.rigs import four_bar
from tests.transitions.rigs import X, Z, lockable, loop_case, tree_case


def dead_centre():
    """Slider-crank with crank and rod in line: the slider is at the end of its stroke."""
    joints = [("Revolute", (0, 0, 0), Z), ("Revolute", (0.5, 0, 0), Z), ("Revolute", (1.7, 0, 0), Z)]
    return single_loop([*joints, ("Prismatic", (1.7, 0, 0), X)])


def test_the_crank_of_a_flat_parallelogram():
    """Where the antiparallelogram branches off two motions are possible; the lock of one crank leaves the other shaky."""
    system = flat_parallelogram().compile()
    v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
    it = ct.transition(system, system.q0, v, ["j0"])
    assert it.singular
    assert it.dof_before == 2
    assert it.dof == 1
    assert "singular topology change" in str(it)


def test_a_slider_crank_at_dead_centre():
    """Locking the slider there takes nothing from the crank at this instant, yet no motion is left; locking the crank is
    regular, for then all rows are independent."""
    system = dead_centre().compile()
    v = ct.consistent_velocity(system, system.q0, [1.0] * system.nv)
    assert np.abs(v).max() > 0.1
    slider = ct.transition(system, system.q0, v, ["j3"])
    assert slider.singular
    assert slider.dof == 1
    assert np.abs(slider.dv).max() < 1e-12
    crank = ct.transition(system, system.q0, v, ["j0"])
    assert not crank.singular
    assert crank.dof == 0


@pytest.mark.parametrize("name", CATALOGUE)
def test_regular_ones_are_not_reported(name):
    _, system, q, v, _ = loop_case(name, 1)
    it = ct.transition(system, q, v, lockable(system)[:1])
    assert not it.singular
    assert "singular" not in str(it)


@pytest.mark.parametrize("seed", range(4))
def test_trees_are_never_singular(seed):
    _, system, q, v, _ = tree_case(seed)
    assert not ct.transition(system, q, v, lockable(system)[:2]).singular


def test_a_run_says_so():
    """Locked in the flat configuration from the start: the words of switch and run."""
    mech = flat_parallelogram().mechanism()
    mech.gravity = np.zeros(3)
    mech.lock("j0")
    run = ct.simulate(mech, 0.1, v=[0.0] * 3)
    assert run.switches[0].singular
    assert "singular topology change at t = 0 s" in str(run)
    regular = four_bar()
    regular.lock("A", at=0.05)
    run = ct.simulate(regular, 0.1)
    assert not run.switches[0].singular
    assert "singular" not in str(run)
    assert "came to a stop at t = 0.05 s" in str(run)


def ladder(cells, angle):
    """Parallelograms in a row, cranks at an angle to the line of their pivots; at 0 all are flat."""
    mech, u = ct.Mechanism("ladder", (0, 0, 0)), np.array([np.cos(angle), np.sin(angle), 0.0])
    for k in range(cells + 1):
        mech.body(f"crank{k}", 1.0, 0.5 * u + k * X, (0.1, 0.1, 0.1))
        mech.joint(f"A{k}", "ground", f"crank{k}", ct.Revolute((k, 0, 0), Z))
    for k in range(cells):
        mech.body(f"rod{k}", 1.0, u + (k + 0.5) * X, (0.1, 0.1, 0.1))
        mech.joint(f"B{k}", f"crank{k}", f"rod{k}", ct.Revolute(u + k * X, Z))
        mech.joint(f"C{k}", f"rod{k}", f"crank{k + 1}", ct.Revolute(u + (k + 1) * X, Z))
    return mech.compile()


@pytest.mark.parametrize(("cells", "angle"), [(12, 0.0), (12, 0.7), (160, 0.0)])
def test_ladders_of_many_coordinates(cells, angle, monkeypatch):
    """Flat ones are singular, also above 300 coordinates; that is seen without a search for configurations nearby."""
    system = ladder(cells, angle)
    if angle == 0.0:
        monkeypatch.setattr(regularity, "moves_freely", None)
    it = ct.transition(system, system.q0, np.zeros(system.nv), ["A0"])
    assert it.singular is (angle == 0.0)


def test_systems_too_large_to_look_at(monkeypatch):
    monkeypatch.setattr(regularity, "JUDGED", 10)
    it = ct.transition(ladder(12, 0.7), np.zeros(25), np.zeros(25), ["A0"])
    assert it.singular is None
    assert "not checked whether the configuration is singular" in str(it)
    monkeypatch.setattr(certificate, "QUICK", 2)
    mech = four_bar()
    mech.lock("A", at=0.05)
    run = ct.simulate(mech, 0.1)
    assert "not checked whether the topology changed in singular configurations" in str(run)
    assert run.switches[0].singular is False
