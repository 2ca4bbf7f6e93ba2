"""Starts by name of mechanisms with beams: nodes that no joint carries go with their beam, as a rigid body where they can."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints import beam_starts
from cotree.errors import AssemblyError

from .rigs import SOFT

Z = (0, 0, 1)
SPEED = 60.0


def rotor(on="A"):
    """A beam on a hub whose axle is beside it, and the point about which it turns."""
    mech = ct.Mechanism("rotor", gravity=(0, 0, 0))
    hub = mech.body("hub", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint(on, mech.ground, hub, ct.Revolute((0.2, 0.1, 0), Z))
    return mech, mech.beam("blade", (0, 0, 0), (1, 0, 0), SOFT, elements=4, start_on=hub), np.array((0.2, 0.1, 0))


def slider_crank(elements=2, stiffer=1.0):
    """Drawn stretched; a coupler with beam elements, or a rigid one with the same masses."""
    mech = ct.Mechanism("slider-crank", gravity=(0, 0, 0))
    crank = mech.body("crank", 0.2, (0.05, 0, 0), (1e-5, 2e-4, 2e-4))
    piston = mech.body("piston", 0.3, (0.5, 0, 0), (1e-4, 1e-4, 1e-4))
    mech.joint("A", mech.ground, crank, ct.Revolute((0, 0, 0), Z))
    mech.joint("slide", mech.ground, piston, ct.Prismatic(axis=(1, 0, 0), point=(0.5, 0, 0)))
    steel = ct.Section.circle(0.003, youngs_modulus=stiffer * 210e9, poisson=0.3, density=7850)
    if elements:
        nodes = mech.beam("coupler", (0.1, 0, 0), (0.5, 0, 0), steel, elements=elements).nodes
    else:
        m, L = 0.4 * steel.mass, 0.4
        nodes = (mech.body("coupler", m, (0.3, 0, 0), (1e-7, m * L**2 / 12, m * L**2 / 12)),)
    mech.joint("B", crank, nodes[0], ct.Revolute((0.1, 0, 0), Z))
    mech.joint("C", piston, nodes[-1], ct.Revolute((0.5, 0, 0), Z))
    return mech


@pytest.mark.parametrize("options", [{}, {"coordinates": "absolute"}])
def test_a_rotor_starts_as_a_rigid_body(options):
    mech, beam, axle = rotor()
    system = mech.compile(**options)
    asked = ({"A": 0.8}, {"A": SPEED}) if not options else ({}, {"hub.wz": SPEED})
    q = ct.assemble(system, asked[0]) if asked[0] else system.q0
    v = ct.consistent_velocity(system, q, asked[1])
    at, moving = ct.poses(system, q), ct.twists(system, q, v, "spatial")
    turned = at[system.row_of("hub")]
    expected = np.array(
        (0, 0, SPEED, *-np.cross((0, 0, SPEED), axle))
    )  # v = w x (p - axle), as a twist about the origin
    for node in beam.nodes:
        assert at[system.row_of(node)] == pytest.approx(turned, abs=1e-12)
        assert moving[system.row_of(node)] == pytest.approx(expected, abs=1e-9 * SPEED)
    assert ct.energy(system, q, v).potential < 1e-20


def test_a_slider_crank_starts_as_the_rigid_one():
    for q in ({}, {"A": 0.4}):
        bent, rigid = slider_crank().compile(), slider_crank(0).compile()
        there = [ct.assemble(s, q) for s in (bent, rigid)]
        moving = [
            ct.twists(s, x, ct.consistent_velocity(s, x, {"A": SPEED}), "spatial")[s.row_of(name)]
            for s, x, name in zip((bent, rigid), there, ("coupler.n1", "coupler"), strict=True)
        ]
        assert moving[0] == pytest.approx(moving[1], abs=1e-9 * SPEED)
        assert ct.energy(bent, there[0]).potential < 1e-15


def test_a_slider_crank_runs_on_like_the_rigid_one():
    """As the coupler gets stiffer, its motion tends to that of the rigid one."""
    rigid = ct.simulate(slider_crank(0), 3e-3, v={"A": SPEED}, rtol=1e-9, output=1e-3).joint("A").angle
    off = []
    for stiffer in (1.0, 100.0):
        run = ct.simulate(
            slider_crank(stiffer=stiffer), 3e-3, v={"A": SPEED}, step=1e-4, method="generalized-alpha", output=1e-3
        )
        assert run.status == "done"
        off.append(np.abs(run.joint("A").angle - rigid).max())
        line = run.beam("coupler").shape()
        chord, middle = line[:, -1] - line[:, 0], line[:, 1] - line[:, 0]
        sag = np.abs(np.cross(chord, middle)[:, 2]).max() / 0.4
        assert 0.1 * off[-1] < max(sag, 1e-5)
    assert off[1] < 0.2 * off[0]


def test_a_leaf_that_cannot_move_rigidly_bends_least():
    """Clamped at both ends, led at the middle: the cubic of a beam under a point load, half as fast at a quarter."""
    mech = ct.Mechanism("leaf", gravity=(0, 0, 0))
    stiff = ct.Section((1e8, 1e8, 1e8, 1.0, 1.0, 1.0), mass=1.0, inertia=(1e-4, 5e-5, 5e-5))
    beam = mech.beam("leaf", (-0.5, 0, 0), (0.5, 0, 0), stiff, elements=4, start_on=mech.ground, end_on=mech.ground)
    system = mech.compile()
    v = ct.consistent_velocity(system, system.q0, {f"{beam.nodes[2].name}.vz": 1.0})
    speed = [
        (ct.twists(system, system.q0, v, "spatial")[system.row_of(n)] @ twist_to(x))
        for n, x in zip(beam.nodes, (-0.5, -0.25, 0, 0.25, 0.5), strict=True)
    ]
    assert speed[1] / speed[2] == pytest.approx(0.5, rel=1e-3)
    assert speed[3] == pytest.approx(speed[1])


def twist_to(x):
    """Row that takes a twist about the origin to the velocity along z of the point (x, 0, 0)."""
    return np.array((0, -x, 0, 0, 0, 1.0))


def test_beams_that_cannot_follow(monkeypatch):
    mech, _, _ = rotor()
    monkeypatch.setattr(beam_starts, "ROUNDS", 0)
    with pytest.raises(AssemblyError, match="beams cannot follow to the values of 'A'"):
        ct.simulate(mech, 1e-3, q={"A": 0.5})
