"""From nothing to a result: a spatial triple pendulum with a spring, ten seconds, and how well energy was kept."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import cotree as ct


def triple_pendulum() -> ct.Mechanism:
    """Three rods on a universal, a revolute and a spherical joint, and a spring to ground."""
    mech = ct.Mechanism("triple pendulum", gravity=(0, 0, -9.81))
    A, B, C, D = (0, 0, 0), (0.5, 0, 0), (0.5, 0.4, 0), (0.5, 0.4, -0.3)
    upper = mech.body("upper", shape=ct.Rod(A, B), density=2700)
    middle = mech.body("middle", shape=ct.Rod(B, C), density=2700)
    lower = mech.body("lower", shape=ct.Cylinder(C, D, radius=0.03), density=2700)
    mech.joint("shoulder", mech.ground, upper, ct.Universal(A, (1, 0, 0), (0, 1, 0)))
    mech.joint("elbow", upper, middle, ct.Revolute(B, (0, 0, 1)))
    mech.joint("wrist", middle, lower, ct.Spherical(C))
    mech.spring("spring", mech.ground, (0.5, 0.4, 0.5), lower, D, stiffness=20.0)
    return mech


def runge_kutta_step(system: ct.System, q: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """One classical step on the coordinates; quaternions are scaled back to unit length after it."""

    def rates(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return ct.coordinate_rates(system, q, v), ct.forward_dynamics(system, q, v).v_dot

    q1, v1 = rates(q, v)
    q2, v2 = rates(q + 0.5 * h * q1, v + 0.5 * h * v1)
    q3, v3 = rates(q + 0.5 * h * q2, v + 0.5 * h * v2)
    q4, v4 = rates(q + h * q3, v + h * v3)
    q = q + h / 6 * (q1 + 2 * q2 + 2 * q3 + q4)
    return ct.normalize(system, q), v + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4)


def main() -> None:
    system = triple_pendulum().compile()
    print(system)
    q, v, h, steps = system.q0, np.zeros(system.nv), 1e-3, 10_000
    start = time.perf_counter()
    runge_kutta_step(system, q, v, h), ct.energy(system, q, v), ct.poses(system, q)
    print(f"\nfirst calls (compiled once, then cached): {time.perf_counter() - start:.1f} s")
    energy0 = ct.energy(system, q, v).total
    start = time.perf_counter()
    tip, drift = [], []
    for k in range(steps + 1):
        if k % 20 == 0:
            tip.append((ct.poses(system, q)[system.row_of("lower")] @ (0.5, 0.4, -0.3, 1.0))[:3])
            drift.append(ct.energy(system, q, v).total - energy0)
        q, v = runge_kutta_step(system, q, v, h)
    print(f"{steps} steps of {h:g} s in {time.perf_counter() - start:.2f} s")
    print(f"energy {energy0:.4f} J, greatest drift {np.abs(drift).max():.1e} J")
    print(f"tip at {steps * h:g} s: {np.round(tip[-1], 4)} m")
    plot(np.arange(len(tip)) * 20 * h, np.array(tip), np.array(drift))


def plot(t: np.ndarray, tip: np.ndarray, drift: np.ndarray) -> None:
    """Path of the tip and drift of the energy."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for k, name in enumerate("xyz"):
        left.plot(t, tip[:, k], label=name)
    left.set(xlabel="time [s]", ylabel="tip position [m]")
    left.legend()
    right.plot(t, drift)
    right.set(xlabel="time [s]", ylabel="energy drift [J]")
    path = Path("out") / "demo.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)
    print(f"picture: {path}")


if __name__ == "__main__":
    main()
