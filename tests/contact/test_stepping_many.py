"""Stepping: loops with contacts, piles, energy, coordinates, and what runs say."""

from __future__ import annotations

import numpy as np
import pytest

import cotree as ct
from tests.contact.scenes import FLOOR, G, at


def slider_crank(
    clearance: float = 0.02, friction: float = 0.1, restitution: float = 0.3, tilt: float = 0.0
) -> ct.Mechanism:
    """Crank and rod move a slider between two walls, with clearance: a closed loop. tilt: by so much one of its corners is
    nearer to the walls, so that no two hit at once."""
    mech = ct.Mechanism("slider-crank", gravity=(0, -G, 0))
    A, B, C, z = (0, 0, 0), (0.1, 0, 0), (0.4, 0, 0), (0, 0, 1)
    crank = mech.body("crank", 0.2, (0.05, 0, 0), (1e-4, 2e-4, 2e-4), shape=ct.Rod(A, B))
    rod = mech.body("rod", 0.3, (0.25, 0, 0), (1e-4, 3e-3, 3e-3), shape=ct.Rod(B, C))
    slider = mech.body("slider", 0.5, C, (1e-3,) * 3)
    mech.joint("A", mech.ground, crank, ct.Revolute(A, z))
    mech.joint("B", crank, rod, ct.Revolute(B, z))
    mech.joint("slide", mech.ground, slider, ct.Planar(C, z))
    mech.joint("C", rod, slider, ct.Revolute(C, z))
    for name, y, n in (("low", -0.5 * clearance, 1), ("high", 0.5 * clearance, -1)):
        for side, x in (("left", 0.37), ("right", 0.43)):
            wall = ct.Plane((0, y - 0.01 * n, 0), (0, n, 0))
            mech.contact(f"{name} {side}", mech.ground, wall, slider, corner(x, n, tilt), friction, restitution)
    return mech


def corner(x: float, n: int, tilt: float) -> ct.Point:
    return ct.Point((x, -0.01 * n - (tilt if x < 0.4 else 0.0), 0))


def pile(levels: int, **more: float) -> ct.Mechanism:
    """Boxes of 1 kg one on the other, each held up by four points of the one above."""
    mech = ct.Mechanism("pile", gravity=(0, 0, -G))
    below, top = mech.ground, FLOOR
    for k in range(levels):
        body = mech.body(f"box {k}", 1.0, (0, 0, 0), (0.01,) * 3, at((0, 0, 0.1 + 0.2 * k)))
        mech.joint(f"free {k}", mech.ground, body, ct.Free())
        for i, (x, y) in enumerate(((-0.1, -0.1), (0.1, -0.1), (-0.1, 0.1), (0.1, 0.1))):
            mech.contact(f"foot {k} {i}", below, top, body, ct.Point((x, y, -0.1)), **more)
        below, top = body, ct.Plane((0, 0, 0.1), (0, 0, 1))
    return mech


@pytest.fixture(scope="module")
def crank_run():
    return ct.simulate(slider_crank(), 0.5, v={"A": 20.0}, step=5e-4, contact="stepping", output="steps")


def test_contacts_act_through_a_loop(crank_run):
    run = crank_run
    assert run.status == "done", run.message
    assert run.violation.max() < 1e-12
    assert len(run.impacts) >= 3
    gaps = np.array([run.contact(f"{a} {b}").gap for a in ("low", "high") for b in ("left", "right")])
    assert gaps.min() > -2e-3  # by no more than a step goes
    np.testing.assert_allclose(gaps[0] + gaps[2], 0.02 - 0.0, atol=2e-3)
    assert run.statistics["contact_steps_not_solved"] == 0


def test_contacts_in_a_loop_never_supply_energy(crank_run):
    run = crank_run
    assert np.diff(run.energy.total).max() < 2e-4 * run.energy.total.max()
    assert all(i.energy_loss > -1e-9 for i in run.impacts)
    assert np.abs(run.energy.balance).max() < 0.02 * run.energy.lost[-1] + 0.02 * run.energy.dissipated[-1]


def test_cuts_and_coordinates_make_no_difference():
    mech, ends = slider_crank(), []
    mech.motor("push", "A", 3.0)
    absolute = [{"coordinates": "absolute", "group": group} for group in ("SE3", "SO3xR3")]
    for chosen in ({"cut": ["C"]}, {"cut": ["B"]}, *absolute):
        run = ct.simulate(mech.compile(**chosen), 0.1, step=2e-4, contact="stepping", output=2)
        assert run.impacts
        ends.append(run.point("slider", (0.4, 0, 0)).position[-1])
    assert np.ptp(ends, axis=0).max() < 1e-4
    assert np.linalg.norm(ends[0] - np.array((0.4, 0, 0))) > 1e-2


def test_a_pile_stays_exactly_where_it_is():
    run = ct.simulate(pile(4, friction=0.5).compile(group="SO3xR3"), 1.0, step=0.01, contact="stepping", output=3)
    assert np.array_equal(run.q[-1], run.q[0])
    assert not run.v.any()
    forces = [sum(run.contact(f"foot {k} {i}").normal_force[-1] for i in range(4)) for k in range(4)]
    np.testing.assert_allclose(forces, G * np.array([4, 3, 2, 1]), rtol=1e-9)
    assert run.statistics["contacts_at_once"] == 16


@pytest.mark.filterwarnings("ignore::cotree.errors.RunWarning")
def test_a_thrown_pile_comes_to_rest_and_loses_energy_only():
    mech = pile(3, friction=0.4, restitution=0.2)
    system = mech.compile(group="SO3xR3")
    v = np.zeros(system.nv)
    v[3], v[9], v[10], v[17] = 0.5, -0.4, 0.3, 0.5
    run = ct.simulate(system, 1.5, v=v, step=2e-3, contact="stepping", output=151)
    assert run.status == "done"
    assert np.diff(run.energy.total).max() < 1e-3
    assert run.statistics["contact_residual"] < 1e-6
    said = any("not solved for to 1e-10" in str(w) for w in run.warnings)
    assert said == (run.statistics["contact_steps_not_solved"] > 0)


def test_order_two_without_impacts():
    """A ball on an arm that slides around on a floor, with friction: differences of halved steps."""
    mech = ct.Mechanism("pendulum on a floor", gravity=(0, -1.0, -G))
    arm = mech.body("arm", 1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    mech.joint("A", mech.ground, arm, ct.Universal((0, 0, 0), (0, 1, 0), (0, 0, 1)))
    mech.contact("tip", mech.ground, ct.Plane((0, 0, -0.1), (0, 0, 1)), arm, ct.Sphere((1, 0, 0), 0.1), friction=0.05)
    system = mech.compile()
    ends = []
    for h in (8e-3, 4e-3, 2e-3):
        run = ct.simulate(system, 0.4, v=[0.0, 1.0], step=h, contact="stepping", output=2)
        assert set(run.contact("tip").state) == {"slip"}
        ends.append(np.append(run.q[-1], run.v[-1]))
    ratio = np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()
    assert 3.0 < ratio < 5.5


def test_runs_say_which_way_they_took(crank_run):
    assert crank_run.statistics["contact_route"] == "stepping"
    assert "middle of the step" in crank_run.statistics["contact_rule"]
