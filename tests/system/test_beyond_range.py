"""No function returns NaN or infinity: numbers that are too large, or none, are named errors."""

import numpy as np
import pytest

import cotree as ct
from cotree.dynamics.reactions import about_world
from cotree.errors import NotFiniteError

HUGE = 1e200


@pytest.fixture(scope="module")
def loop():
    return ct.gallery.four_bar().compile()


@pytest.fixture(scope="module")
def chain():
    """A body free in space with a slider on it: lengths and velocities may be too large."""
    mech = ct.Mechanism("chain")
    mech.body("first", 1.0, (0.3, 0, 0), (1.0, 2.0, 2.5))
    mech.joint("free", "ground", "first", ct.Free())
    mech.body("second", 1.0, (1, 0, 0), (1.0, 1.0, 1.0))
    mech.joint("slide", "first", "second", ct.Prismatic((1, 0, 0)))
    mech.distance("rod", "first", (0.3, 0, 0), "second", (1, 1, 0))
    return mech.compile()


OF_V = {
    "coriolis_matrix": lambda s, q, v: ct.theory.coriolis_matrix(s, q, 1.7e108 * v),
    "inverse_dynamics": lambda s, q, v: ct.inverse_dynamics(s, q, v),
    "energy": lambda s, q, v: ct.energy(s, q, v),
    "momentum": lambda s, q, v: ct.momentum(s, q, 1e108 * v, (1e20, 2e20, 3e20)),
    "center_of_mass": lambda s, q, v: ct.center_of_mass(s, q, 9e107 * v),
    "accelerations": lambda s, q, v: ct.accelerations(s, q, v, None),
    "jacobian_derivative": lambda s, q, v: ct.jacobian_derivative(s, q, 1.7e108 * v, "second"),
    "displace": lambda s, q, v: ct.displace(s, q, 1.7e108 * v),
    "constraint_bias": lambda s, q, v: ct.constraint_bias(s, q, v),
    "consistent_velocity": lambda s, q, v: ct.consistent_velocity(s, q, 1.7e108 * v),
    "actuator_forces": lambda s, q, v: ct.actuator_forces(s, q, v, actuators=["slide"], least_squares=True),
    "transition": lambda s, q, v: ct.transition(s, q, v, activate=["slide"]),
    "simulate": lambda s, q, v: ct.simulate(s, 0.1, q, v),
}


@pytest.mark.parametrize("name", OF_V)
def test_velocities_that_are_too_large(chain, name):
    q, v = ct.assemble(chain, chain.q0), np.full(chain.nv, HUGE)
    with pytest.raises(NotFiniteError):
        OF_V[name](chain, q, v)


@pytest.mark.parametrize("value", [np.nan, np.inf, HUGE, 1e308])
@pytest.mark.parametrize("formulation", ["auto", "index1", "projection", "voronets", "odca"])
def test_forward_dynamics(loop, chain, formulation, value):
    for system in (loop, chain):
        q = ct.assemble(system, system.q0)
        v, tau = np.zeros(system.nv), np.zeros(system.nv)
        v[1] = value
        with pytest.raises(NotFiniteError):
            ct.forward_dynamics(system, q, v, formulation=formulation)
        tau[1] = value
        if value == HUGE:
            assert np.isfinite(ct.forward_dynamics(system, q, None, tau, formulation=formulation).v_dot).all()
        elif not np.isfinite(value):
            with pytest.raises(NotFiniteError, match="tau of system"):
                ct.forward_dynamics(system, q, None, tau, formulation=formulation)


OF_Q = {
    "mass_matrix": lambda s, q: ct.mass_matrix(s, q),
    "christoffel": lambda s, q: ct.theory.christoffel(s, q),
    "constraint_residual": lambda s, q: ct.constraint_residual(s, q),
}


@pytest.mark.parametrize("name", OF_Q)
def test_lengths_that_are_too_large(chain, name):
    q = chain.q0.copy()
    q[-1] = HUGE
    with pytest.raises(NotFiniteError, match="overflows; the largest entry of q is"):
        OF_Q[name](chain, q)


def test_reactions_that_are_too_large():
    with pytest.raises(NotFiniteError, match="overflow"):
        about_world({"joint": np.full(6, 1e308)}, np.array([0.0, 0.0, 10.0]))


def test_the_certificate_of_a_run_that_fails_can_be_printed():
    """Its kinetic energy is beyond the range of numbers; nothing that can be said is lost for it."""
    mech = ct.Mechanism("fast")
    mech.body("block", 1.0, (0, 0, 0), (1.0, 1.0, 1.0))
    mech.joint("slide", "ground", "block", ct.Prismatic((1, 0, 0)))
    run = ct.simulate(mech, 1.0, v=[HUGE])
    assert "energy could not be computed: energy: the result for system 'fast' overflows" in str(run)
    assert str(run).startswith(f"fast: {run.status}, 0 to ")
    assert any("could not be checked" in str(w) for w in run.warnings)
