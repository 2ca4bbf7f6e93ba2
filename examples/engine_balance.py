"""Balancing of an engine: the counterweight on the crank that makes the shaking force of a slider-crank least.

With the rod's mass at its two ends, the force on the frame of an engine at constant speed is that of a rotating and of a
reciprocating mass. The mean square is least where the counterweight balances the rotating mass and half of the reciprocating
one: a closed form, since no odd harmonic but the first is in the motion of the piston. The force is read by sensors, and its
derivatives by the place of the crank's mass centre are exact.

    python examples/engine_balance.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np

import cotree as ct

R, L, SPEED = 0.04, 0.14, 2.0 * np.pi  # m, m, rad/s
CRANK, ROD, PISTON = 1.2, 0.25, 0.45  # kg
A, B, C = (0, 0, 0), (R, 0, 0), (R + L, 0, 0)
COUNTERWEIGHT = ["crank.com.x", "crank.com.y"]


def engine() -> ct.Mechanism:
    mech = ct.Mechanism("engine", gravity=(0, 0, 0))
    mech.body("crank", CRANK, (0.3 * R, 0.1 * R, 0), (1e-3, 1e-3, 1e-3), shape=ct.Rod(A, B))
    rod = {"com": (R + 0.4 * L, 0, 0), "inertia": [ROD * 0.4 * 0.6 * L**2] * 3}
    mech.body("rod", ROD, **rod, shape=ct.Rod(B, C))  # its mass: 60 % at the crank, 40 % at the piston
    mech.body("piston", PISTON, C, (1e-4, 1e-4, 1e-4), shape=ct.Box(C, (0.04, 0.05, 0.05)))
    for name, a, b, at in (("A", "ground", "crank", A), ("B", "crank", "rod", B), ("C", "rod", "piston", C)):
        mech.joint(name, a, b, ct.Revolute(at, (0, 0, 1)))
    mech.joint("cylinder", "ground", "piston", ct.Prismatic(axis=(1, 0, 0)))
    mech.drive("turning", "A", lambda t: SPEED * t, rate=lambda t: SPEED, acceleration=lambda t: 0.0)
    return mech


def on_frame(s: ct.sensors.Sensors) -> np.ndarray:
    return -(s.reaction("A").force + s.reaction("cylinder").force)


def mean_square(mech: ct.Mechanism) -> tuple[float, dict[str, float]]:
    """Of the shaking force in one turn, with its derivatives."""
    outputs, times = [lambda s: on_frame(s)[0], lambda s: on_frame(s)[1]], np.arange(1, 33) / 32
    s = ct.sensitivities(mech, 1.0, v={"A": SPEED}, parameters=COUNTERWEIGHT, outputs=outputs, times=times)
    slopes = 4.0 * np.mean(s.y[..., None] * s.dy, axis=(0, 1))
    return 2.0 * np.mean(s.y**2), dict(zip(s.names, slopes, strict=True))


def main(picture: str | None = None) -> None:
    mech = engine()
    best = ct.optimize(mech, mean_square, COUNTERWEIGHT, tolerance=1e-14)
    (x, y), expected = best.values.values(), -R * (0.6 * ROD + 0.5 * (PISTON + 0.4 * ROD)) / CRANK
    print(
        f"rms of the shaking force {best.begin**0.5:.4f} -> {best.objective**0.5:.4f} N, {best.evaluations} evaluations"
    )
    print(
        f"mass centre of the crank at ({1e3 * x:.6f}, {1e3 * y:.6f}) mm, by the closed form ({1e3 * expected:.6f}, 0) mm"
    )
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
        for label, m in (("as described", mech), ("balanced", best.mechanism)):
            axes.plot(*on_frame(ct.simulate(m, 1.0, v={"A": SPEED}, output=129))[:, :2].T, label=label)
        axes.set(xlabel="force along the cylinder [N]", ylabel="across it [N]", aspect="equal")
        axes.legend()
        figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
