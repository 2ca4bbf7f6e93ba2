"""Trajectory of a parallel robot with minimal torque: a five-bar between two rest positions, by direct collocation.

The loop is part of the dynamics: accelerations satisfy it, and only the two motors' angles are prescribed at the end. Beside
the optimum stands the usual motion, both motors by the same polynomial of fifth degree, whose torques inverse dynamics gives.

    python examples/least_torque.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np
from swing_up import collocate, simulated

import cotree as ct

TIME, STEPS, MOST = 0.6, 20, 60.0  # s, intervals, N m
MOTORS = ("A1", "A2")
START, END = {"A1": -0.3, "A2": -0.3}, {"A1": 0.3, "A2": 0.2}


def usual(system: ct.System, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States (T, n) and torques (T, 2) of the motion by polynomials."""
    s, q, out = t / TIME, ct.assemble(system, START), []
    shape = [10 * s**3 - 15 * s**4 + 6 * s**5, 30 * s**2 - 60 * s**3 + 30 * s**4, 60 * s - 180 * s**2 + 120 * s**3]
    for p, p_dot, p_ddot in zip(*shape, strict=True):
        q = ct.assemble(
            system, q_named(system, q, {n: START[n] + p * (END[n] - START[n]) for n in MOTORS}), fixed=MOTORS
        )
        v = ct.consistent_velocity(system, q, {n: p_dot / TIME * (END[n] - START[n]) for n in MOTORS})
        J, eta = ct.constraint_jacobian(system, q), ct.constraint_bias(system, q, v)
        own = [system.v_index(n) for n in MOTORS]
        rest = np.setdiff1d(np.arange(system.nv), own)
        a = np.zeros(system.nv)
        a[own] = [p_ddot / TIME**2 * (END[n] - START[n]) for n in MOTORS]
        a[rest] = np.linalg.solve(J[:, rest], eta - J[:, own] @ a[own])
        tau = ct.inverse_dynamics(system, q, v, a)
        lam = np.linalg.solve(J[:, rest].T, tau[rest])
        out.append((np.concatenate([q, v]), tau[own] - J[:, own].T @ lam))
    return np.array([x for x, _ in out]), np.array([u for _, u in out])


def q_named(system: ct.System, q: np.ndarray, values: dict[str, float]) -> np.ndarray:
    q = q.copy()
    q[[system.q_index(n) for n in values]] = list(values.values())
    return q


def main(picture: str | None = None) -> None:
    mech = ct.gallery.five_bar()
    f = ct.dynamics_function(mech, inputs=MOTORS)
    t = np.linspace(0.0, TIME, STEPS + 1)
    guess, torques = usual(f.system, t)
    guess[0, f.system.nq :] = 0.0
    end = {f.system.q_index(n): END[n] for n in MOTORS} | {f.system.nq + f.system.v_index(n): 0.0 for n in MOTORS}
    _, u, effort = collocate(f, guess, end, TIME, MOST)
    before = float(np.trapezoid((torques**2).sum(axis=1), t))
    run = simulated(mech, f, u, guess[0], TIME)
    off = max(abs(run.q[-1, f.system.q_index(n)] - END[n]) for n in MOTORS)
    print(f"effort {before:.2f} by polynomials, {effort:.2f} N^2 m^2 s at the least")
    print(f"the simulation ends {off:.1e} rad from the target")
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
        for k, n in enumerate(MOTORS):
            above.plot(run.t, run.q[:, f.system.q_index(n)], f"C{k}", label=n)
            above.plot(t, guess[:, f.system.q_index(n)], f"C{k}--", label=f"{n} by polynomials")
            below.plot(np.linspace(0.0, TIME, len(u)), u[:, k], f"C{k}")
            below.plot(t, torques[:, k], f"C{k}--")
        above.set_ylabel("angle [rad]")
        above.legend()
        below.set(xlabel="t [s]", ylabel="torque [N m]")
        figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
