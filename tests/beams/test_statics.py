"""Beams at rest against closed forms and against the energy that SciPy makes least."""

import numpy as np
import pytest
from scipy.optimize import minimize

import cotree as ct

from .rigs import SOFT, STIFF, cantilever, elastic_energy, exp, logs, tip

# P L^2 / EI: (deflection, shortening) / L of the tip under a dead load; elliptic integrals, Bisshopp and Drucker (1945)
ELASTICA = {
    1.0: (0.3017207737998131, 0.05643323628337693),
    5.0: (0.7137915236119128, 0.38762836072442997),
    10.0: (0.8106090248802965, 0.5549955977537513),
}


@pytest.mark.parametrize("elements", [3, 4, 7])
@pytest.mark.parametrize("turns", [0.5, 1.0])
def test_rolling_up_is_exact(elements, turns):
    angle = 2 * np.pi * turns
    mech, beam = cantilever(elements, moment=(0, -angle, 0))
    rest = ct.equilibrium(mech)
    assert np.abs(tip(rest, beam) - (np.sin(angle) / angle, 0, (1 - np.cos(angle)) / angle)).max() < 1e-9


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load):
    errors = []
    for elements in (4, 8, 16):
        mech, beam = cantilever(elements, force=(0, 0, load))
        p, (up, back) = tip(ct.equilibrium(mech), beam), ELASTICA[load]
        errors.append(max(abs(p[2] / up - 1), abs((1 - p[0]) / back - 1)))
    assert errors[2] < 3e-6
    assert np.log2(errors[0] / errors[1]) > 3.5  # with shear that knows of bending the order is four, two without
    assert np.log2(errors[1] / errors[2]) > 3.5


def test_small_deflections_by_the_formula_of_timoshenko():
    mech, beam = cantilever(2, SOFT, force=(1e-6, 2e-6, 3e-6))
    EA, GAy, GAz, _, EIy, EIz = SOFT.stiffness
    along = (1 / EA, 1 / (3 * EIz) + 1 / GAy, 1 / (3 * EIy) + 1 / GAz)
    assert tip(ct.equilibrium(mech), beam) - (1, 0, 0) == pytest.approx(
        np.multiply((1e-6, 2e-6, 3e-6), along), rel=1e-3
    )


def test_the_least_energy_in_space():
    """A bent, twisted beam in space: SciPy minimises the same energy, written once more."""
    load = np.array([0.3, 0.8, -1.1])
    mech, beam = cantilever(2, SOFT, force=load)
    drawn = beam.elements.frames
    rest = logs(drawn)

    def frames(x):
        return [drawn[0], *(F @ exp(y) for F, y in zip(drawn[1:], x.reshape(-1, 6), strict=True))]

    def energy(x):
        F = frames(x)
        return elastic_energy(F, SOFT, rest) - load @ F[-1][:3, 3]

    least = frames(minimize(energy, np.zeros(12), method="BFGS", options={"gtol": 1e-7}).x)
    assert np.abs(tip(ct.equilibrium(mech), beam) - least[-1][:3, 3]).max() < 2e-6


def test_rest_strain_bends_without_load():
    mech, beam = cantilever(3, rest_strain=(0, 0, 0, 0, -np.pi, 0))
    rest = ct.equilibrium(mech)
    assert tip(rest, beam) == pytest.approx((0, 0, 2 / np.pi), abs=1e-10)
    assert rest.potential == pytest.approx(0.0, abs=1e-12)


def test_both_ends_clamped():
    """Under its weight, m g L^4 / 384 EI in the middle; the reactions of the redundant ends are determined."""
    mech = ct.Mechanism("bridge", gravity=(0, 0, -1e-3))
    beam = mech.beam("beam", (0, 0, 0), (1, 0, 0), STIFF, elements=8, start_on=mech.ground, end_on=mech.ground)
    rest = ct.equilibrium(mech)
    assert rest.unique
    assert tip_of(rest, beam.nodes[4])[2] == pytest.approx(-1e-3 / 384, rel=2e-3)
    moment = rest.reactions["beam.clamp0"][:3]
    assert abs(moment[1]) == pytest.approx(1e-3 / 12, rel=2e-2)


def tip_of(rest, node):
    T = ct.poses(rest.system, rest.q)[rest.system.row_of(node)]
    return (T @ (*node.properties.com, 1.0))[:3]


def test_pinned_ends_close_loops():
    mech = ct.Mechanism("arch", gravity=(0, 0, 0))
    beam = mech.beam("beam", (0, 0, 0), (1, 0, 0), STIFF, elements=8)
    mech.joint("left", mech.ground, beam.nodes[0], ct.Revolute((0, 0, 0), (0, 1, 0)))
    mech.joint("right", mech.ground, beam.nodes[-1], ct.Revolute((1, 0, 0), (0, 1, 0)))
    mech.force("load", beam.nodes[4], (0, 0, -1e-5))
    rest = ct.equilibrium(mech)
    assert tip_of(rest, beam.nodes[4])[2] == pytest.approx(-1e-5 / 48, rel=1e-3)


@pytest.mark.parametrize(("load", "kind"), [(2.40, "stable"), (2.53, "unstable")])
def test_buckling_by_the_tangent(load, kind):
    """Euler: pi^2 EI / 4 L^2 = 2.4674, of a strip that bends one way only."""
    strip = ct.Section((1e6, 1e6, 1e6, 1e3, 1.0, 1e3), mass=1.0, inertia=(1e-4, 5e-5, 5e-5))
    mech, _ = cantilever(8, strip, force=(-load, 0, 0))
    rest = ct.equilibrium(mech)
    assert rest.kind == kind
