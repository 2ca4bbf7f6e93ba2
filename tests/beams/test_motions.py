"""Beams that swing and spin: frequencies by closed forms, energy, sensors, one way of computing beside another."""

import numpy as np
import pytest

import cotree as ct

from .rigs import SOFT, cantilever

BETA = np.array((1.8751040687119178, 4.694091132974175, 7.854757438237325))  # cos x cosh x = -1
# flap frequencies of a blade for eta = 6, 12; Wright, Smith, Thresher and Wang, J. Appl. Mech. 49 (1982) 197
FLAP = {6: (7.360373, 26.809082, 66.683914), 12: (13.17015, 37.603112, 79.614478)}
THIN = ct.Section((1e6, 1e6, 1e6, 1.0, 1.0, 100.0), mass=1.0, inertia=(1e-6, 5e-7, 5e-7))


def flap(linear, count):
    """Angular frequencies of modes across x and z."""
    s = linear.system
    rows = [i for i, name in enumerate(s.v_names) if name.endswith((".wy", ".vz"))]
    shape = np.abs(linear.modes)
    across = shape[rows].max(axis=0) > 0.99 * shape.max(axis=0)
    return np.sort([w.imag for w, yes in zip(linear.eigenvalues, across, strict=True) if yes and w.imag > 0])[:count]


def test_frequencies_of_a_cantilever():
    errors = []
    for elements in (8, 16):
        mech, _ = cantilever(elements, THIN)
        errors.append(np.abs(flap(ct.linearize(mech), 3) / BETA**2 - 1))
    assert errors[1].max() < 1e-3
    assert np.all(np.log2(errors[0][1:] / errors[1][1:]) > 2)


@pytest.mark.parametrize("eta", FLAP)
def test_spinning_blade(eta):
    mech = ct.Mechanism("blade", gravity=(0, 0, 0))
    hub = mech.body("hub", 1.0, (0, 0, 0), (1e9, 1e9, 1e9))
    mech.joint("axle", mech.ground, hub, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.beam("blade", (0, 0, 0), (1, 0, 0), THIN, elements=16, start_on=hub)
    system = mech.compile()
    v = np.zeros(system.nv)
    v[[i for i, name in enumerate(system.v_names) if name == "axle" or name.endswith(".wz")]] = eta
    rows, q, none = [i for i, name in enumerate(system.v_names) if name.endswith(".vx")], system.q0, 0 * v
    for _ in range(4):  # stretched by the spin
        K = ct.inverse_dynamics_derivatives(system, q, v, none).dq[np.ix_(rows, rows)]
        step = none.copy()
        step[rows] = -np.linalg.solve(K, ct.inverse_dynamics(system, q, v, none)[rows])
        q = ct.displace(system, q, step)
    assert flap(ct.linearize(system, q, v), 3) == pytest.approx(FLAP[eta], rel=1e-3)


@pytest.fixture(scope="module")
def swing():
    mech, beam = cantilever(3, SOFT, gravity=(0, 0, -5.0))
    return mech, beam, ct.simulate(mech, 0.2, rtol=1e-10, atol=1e-12, output=0.01)


def test_energy_balance(swing):
    _, _, run = swing
    assert np.abs(run.energy.balance).max() < 1e-8 * run.energy.kinetic.max()


def test_implicit_method_agrees_and_keeps_energy_by_second_order(swing):
    mech, beam, run = swing
    off, drift = [], []
    for step in (2e-3, 1e-3):
        other = ct.simulate(mech, 0.2, step=step, method=ct.GeneralizedAlpha(spectral_radius=1.0), output=0.01)
        off.append(np.abs(other.point(beam.nodes[-1]).position - run.point(beam.nodes[-1]).position).max())
        drift.append(np.abs(other.energy.balance).max())
    assert off[1] < 1e-4
    assert 3 < off[0] / off[1] < 5
    assert drift[1] < 0.4 * drift[0]


def test_damping_takes_energy():
    mech, _ = cantilever(3, SOFT, gravity=(0, 0, -5.0), damping=0.01)
    run = ct.simulate(mech, 0.2, rtol=1e-9, output=0.02)
    assert run.energy.dissipated[-1] > 0.005
    assert np.abs(run.energy.balance).max() < 1e-7


def test_sensors(swing):
    _, beam, run = swing
    read = run.beam(beam)
    assert read.strain.shape == (21, 3, 6)
    assert read.force.shape == read.moment.shape == (21, 3, 3)
    line = read.shape(0.2, points=4)
    assert line.shape == (13, 3)
    assert line[-1] == pytest.approx(run.point(beam.nodes[-1]).position[-1], abs=1e-12)
    assert line[4] == pytest.approx(run.point(beam.nodes[1]).position[-1], abs=1e-12)
    assert 0.5 * (read.shape(0.1) + read.shape(0.11)) == pytest.approx(read.shape(0.105))
    assert "beam.strain.0" in read.columns()


def test_forces_that_sensors_show():
    mech, _ = cantilever(4, SOFT, force=(2e-3, 1e-3, 3e-3), moment=(4e-3, 0, 0))
    rest = ct.equilibrium(mech)
    read = ct.simulate(mech, 1e-3, q=rest.q, step=1e-3, method="rk4").beam("beam")
    assert read.force[0] == pytest.approx(np.tile((2e-3, 1e-3, 3e-3), (4, 1)), rel=0.02, abs=3e-5)
    middle = 1 - (np.arange(4) + 0.5) / 4
    assert read.moment[0, :, 1] == pytest.approx(-3e-3 * middle, rel=0.02, abs=2e-5)
    assert read.moment[0, :, 0] == pytest.approx(np.full(4, 4e-3), rel=0.01)
    EA, GAy, GAz, GJ, EIy, EIz = SOFT.stiffness
    assert read.strain[0] * (EA, GAy, GAz, GJ, EIy, EIz) == pytest.approx(np.hstack([read.force[0], read.moment[0]]))


def test_warnings_of_runs():
    """An element that turns by nearly half a turn; explicit steps as short as waves in the beam ask for."""
    mech, beam = cantilever(1, SOFT)
    system = mech.compile()
    q, v = system.q0, np.zeros(system.nv)
    q = ct.displace(system, q, np.eye(system.nv)[system.v_index(f"{beam.nodes[1].name}.wy")] * 3.0)
    run = ct.simulate(system, 1e-4, q=q, v=v, step=1e-4, method="rk4")
    assert any("element 0 of beam 'beam' turns by 3" in str(w) for w in run.warnings)
    mech, _ = cantilever(3, SOFT)
    slow = ct.simulate(mech, 3.0, v={"beam.n3.wz": 0.01}, step=2.5e-3, method="rk4")
    assert any("generalized-alpha" in str(w) for w in slow.warnings)
    assert not any(
        "generalized-alpha" in str(w) for w in ct.simulate(mech, 0.1, step=1e-2, method="generalized-alpha").warnings
    )


def test_pictures_bend(tmp_path):
    from cotree.view.scene.elements import ties
    from cotree.view.scene.frames import still
    from cotree.view.scene.reference import reference

    mech, _ = cantilever(3, SOFT)
    system = mech.compile()
    first = still(system, system.q0)
    found = [t for t in ties(reference(system, first.origin), first, 0.01) if t["kind"] == "beam"]
    assert [(t["name"], t["length"]) for t in found] == [("beam", pytest.approx(1 / 3))] * 3
