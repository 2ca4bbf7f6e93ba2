"""Elastic belts: frequency in closed form, energy, tree orientation, loops, files, derivatives."""

import numpy as np
import pytest

import cotree as ct

RADII, INERTIAS, STIFFNESS = (0.2, 0.5), (0.3, 1.1), 900.0


def drive(reverse=False, crossed=1.0, damping=0.0):
    """Two pulleys on a frame that turns itself."""
    mech = ct.Mechanism("belt drive", gravity=(0, 0, 0))
    names = ("left", "right")
    for name, x, inertia in zip(names, (0.0, 2.0), INERTIAS, strict=True):
        body = mech.body(name, mass=1.0, com=(x, 0, 0), inertia=(inertia, inertia, inertia))
        ends = (body, mech.ground) if reverse and name == "right" else (mech.ground, body)
        mech.joint(f"{name} pin", *ends, ct.Revolute(point=(x, 0, 0), axis=(0, 0, 1)))
    sign = -1.0 if reverse else 1.0
    mech.belt("belt", "left pin", "right pin", RADII[0], sign * crossed * RADII[1], STIFFNESS, damping)
    return mech


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("crossed", [1.0, -1.0])
def test_frequency_and_steady_turning(reverse, crossed):
    """The stretch oscillates with k (r_a^2 / I_a + r_b^2 / I_b); what is left turns steadily, many times around."""
    run = ct.simulate(drive(reverse, crossed), 2.0, v={"left pin": 30.0}, rtol=1e-11, atol=1e-11)
    root = np.sqrt(STIFFNESS * (RADII[0] ** 2 / INERTIAS[0] + RADII[1] ** 2 / INERTIAS[1]))
    sign = -1.0 if reverse else 1.0
    b = sign * crossed * RADII[1]
    stretch = RADII[0] * run.joint("left pin").angle - b * run.joint("right pin").angle
    assert np.abs(stretch - RADII[0] * 30.0 / root * np.sin(root * run.t)).max() < 1e-8
    assert np.abs(run.energy.balance).max() < 1e-8
    assert run.joint("left pin").angle[-1] > 2.0 * np.pi


def test_damping_is_booked():
    run = ct.simulate(drive(damping=20.0), 2.0, v={"left pin": 30.0}, rtol=1e-11, atol=1e-11)
    assert np.abs(run.energy.balance).max() < 1e-8
    assert run.energy.dissipated[-1] > 1.0
    (a, b), belt = (run.joint(name) for name in ("left pin", "right pin")), run.element("belt")
    pull = STIFFNESS * (RADII[0] * a.angle - RADII[1] * b.angle) + 20.0 * (RADII[0] * a.rate - RADII[1] * b.rate)
    assert belt.force == pytest.approx(pull, rel=1e-10, abs=1e-8)
    assert belt.power == pytest.approx(-pull * (RADII[0] * a.rate - RADII[1] * b.rate), rel=1e-9, abs=1e-7)


def test_equal_to_a_spring_on_one_joint():
    """With the other pulley held, it is a joint spring of k r^2; derivatives and inverse dynamics too."""
    mech = drive()
    mech.drive("held", "right pin", 0.0)
    other = drive()
    del other.elements["belt"]
    other.joint_spring("spring", "left pin", STIFFNESS * RADII[0] ** 2)
    other.drive("held", "right pin", 0.0)
    runs = [ct.simulate(m, 0.5, v={"left pin": 3.0}, rtol=1e-10, atol=1e-10) for m in (mech, other)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9
    q, v = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    system = drive(damping=3.0).compile()
    x, rate = RADII[0] * q[0] - RADII[1] * q[1], RADII[0] * v[0] - RADII[1] * v[1]
    pull = STIFFNESS * x + 3.0 * rate
    expected = np.array([RADII[0], -RADII[1]]) * pull
    assert np.abs(ct.inverse_dynamics(system, q, v, np.zeros(2)) - expected).max() < 1e-12
    slope = STIFFNESS * np.outer([RADII[0], -RADII[1]], [RADII[0], -RADII[1]])
    assert np.abs(ct.inverse_dynamics_derivatives(system, q, v, np.zeros(2)).dq - slope).max() < 1e-5


def test_formulations_agree_in_a_loop():
    mech = ct.gallery.four_bar()
    mech.belt("belt", "A", "D", 0.1, 0.2, 50.0, 1.0)
    runs = [ct.simulate(mech.compile(cut=["B"]), 0.3, formulation=f, output=4) for f in ("index1", "voronets", "odca")]
    for run in runs:
        assert np.abs(run.q - runs[0].q).max() < 1e-6
        assert np.abs(run.energy.balance).max() < 1e-6


def test_files_and_refusals():
    mech = drive()
    again = ct.io.from_json(ct.io.to_json(mech))
    assert np.array_equal(ct.simulate(again, 0.1, v=[1, 0]).q, ct.simulate(mech, 0.1, v=[1, 0]).q)
    with pytest.raises(ct.errors.ForceError, match="must be two joints of one coordinate"):
        mech.belt("x", "left pin", "left pin", 1.0, 1.0, 1.0)
    with pytest.raises(ct.errors.ForceError, match="radii must not be zero"):
        mech.belt("x", "left pin", "right pin", 0.0, 1.0, 1.0)
    with pytest.raises(ct.errors.ForceError, match="joint 'left pin' is cut"):
        mech.compile(coordinates="absolute")
    slide = ct.Mechanism("slide")
    for name in ("a", "b"):
        slide.body(name, 1.0, (0, 0, 0), (1, 1, 1))
    slide.joint("A", slide.ground, "a", ct.Revolute((0, 0, 0), (0, 0, 1)))
    slide.joint("B", slide.ground, "b", ct.Prismatic((0, 0, 1)))
    slide.belt("belt", "A", "B", 1.0, 1.0, 1.0)
    with pytest.raises(ct.errors.ForceError, match="joint 'B' does not turn"):
        slide.compile()
