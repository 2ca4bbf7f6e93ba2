"""A second route to every motion: SciPy's integrator over `forward_dynamics`, state by state, without projection."""

import numpy as np
from scipy.integrate import solve_ivp

import cotree as ct


def by_scipy(system, times, q=None, v=None, rtol=1e-11):
    """(q, v) at the times, the first of which is that of the start."""
    q = system.q0 if q is None else np.asarray(q, dtype=float)
    v = np.zeros(system.nv) if v is None else np.asarray(v, dtype=float)

    def rates(t, y):
        q, v = ct.normalize(system, y[: system.nq]), y[system.nq :]
        return np.concatenate([ct.theory.coordinate_rates(system, q, v), ct.forward_dynamics(system, q, v, t=t).v_dot])

    y = solve_ivp(
        rates, (times[0], times[-1]), np.concatenate([q, v]), "DOP853", times, rtol=rtol, atol=rtol
    ).y.T  # fmt: skip
    return np.array([ct.normalize(system, x) for x in y[:, : system.nq]]), y[:, system.nq :]


def tight(system, t_end, q=None, v=None, **words):
    """A run at a tolerance of 1e-12."""
    return ct.simulate(system, t_end, q, v, rtol=1e-12, atol=1e-12, **words)


def finite(run):
    """Whether all rows hold numbers, and as many of each."""
    same = len(run.t) == len(run.q) == len(run.v) == len(run.work)
    return same and all(np.isfinite(x).all() for x in (run.t, run.q, run.v, run.work))


def pendulum(**words):
    """A kilogram at the end of a metre, turning about z; at q = 0 it hangs along -y."""
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    bob = mech.body("bob", 1.0, (0, -1, 0), (0.0, 0.0, 0.0))
    mech.joint("hinge", mech.ground, bob, ct.Revolute((0, 0, 0), (0, 0, 1)))
    return mech


def point_mass(gravity=(0, 0, 0), at=(1, 0, 0), mass=1.0):
    """A body that is moved without turning, coordinates x, y, z from where it is drawn."""
    mech = ct.Mechanism("point", gravity)
    body = mech.body("point", mass, at, (1.0, 1.0, 1.0))
    mech.joint("way", mech.ground, body, ct.Translation())
    return mech
