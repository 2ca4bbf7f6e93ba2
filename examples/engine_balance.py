"""Balancing of an engine: the counterweight on the crank that makes the shaking force of a slider-crank least.

With the rod's mass at its two ends, the force on the frame of an engine at constant speed is that of a rotating and of a
reciprocating mass. The mean square is least where the counterweight balances the rotating mass and half of the reciprocating
one: a closed form, since no odd harmonic but the first is in the motion of the piston.

    python examples/engine_balance.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np

import cotree as ct

R, L, SPEED = 0.04, 0.14, 2.0 * np.pi  # m, m, rad/s
CRANK = 1.2  # kg


def engine() -> ct.Mechanism:
    mech = ct.Mechanism("engine", gravity=(0, 0, 0))
    A, B, C = (0, 0, 0), (R, 0, 0), (R + L, 0, 0)
    mech.body("crank", CRANK, (0.3 * R, 0.1 * R, 0), (1e-3, 1e-3, 1e-3), shape=ct.Rod(A, B))
    rod = {"com": (R + 0.4 * L, 0, 0), "inertia": [0.25 * 0.4 * 0.6 * L**2] * 3}
    mech.body("rod", 0.25, **rod, shape=ct.Rod(B, C))  # its mass: 60 % at the crank, 40 % at the piston
    mech.body("piston", 0.45, C, (1e-4, 1e-4, 1e-4), shape=ct.Box(C, (0.04, 0.05, 0.05)))
    for name, a, b, at in (("A", "ground", "crank", A), ("B", "crank", "rod", B), ("C", "rod", "piston", C)):
        mech.joint(name, a, b, ct.Revolute(at, (0, 0, 1)))
    mech.joint("cylinder", "ground", "piston", ct.Prismatic(axis=(1, 0, 0)))
    mech.drive("turning", "A", lambda t: SPEED * t)
    return mech


def shaking(mech: ct.Mechanism) -> tuple[ct.Run, np.ndarray]:
    """One turn, and the force (T, 2) on the frame: what the momentum of all bodies loses."""
    run = ct.simulate(mech, 1.0, v={"A": SPEED}, output=np.arange(1, 65) / 64.0)
    parts = [b.properties.mass * run.point(name, b.properties.com).acceleration for name, b in mech.bodies.items()]
    return run, -np.sum(parts, axis=0)[:, :2]


def mean_square(mech: ct.Mechanism) -> tuple[float, dict[str, float]]:
    """Of the shaking force, with its exact derivatives by the place of the crank's mass centre."""
    run, F = shaking(mech)
    com = mech.bodies["crank"].properties.com
    here, slopes = run.point("crank", com).acceleration, {}
    for axis, e in (("x", (1, 0, 0)), ("y", (0, 1, 0))):
        moved = -CRANK * (run.point("crank", com + e).acceleration - here)[:, :2]
        slopes[f"crank.com.{axis}"] = float(2.0 * np.mean(np.sum(F * moved, axis=1)))
    return float(np.mean(np.sum(F**2, axis=1))), slopes


def main(picture: str | None = None) -> None:
    mech = engine()
    best = ct.optimize(mech, mean_square, ["crank.com.x", "crank.com.y"], tolerance=1e-14)
    expected = -R * (0.6 * 0.25 + 0.5 * (0.45 + 0.4 * 0.25)) / CRANK
    x, y = best.values.values()
    print(
        f"rms of the shaking force {best.begin**0.5:.4f} -> {best.objective**0.5:.4f} N in {best.evaluations} evaluations"
    )
    print(
        f"mass centre of the crank at ({1e3 * x:.6f}, {1e3 * y:.6f}) mm, by the closed form ({1e3 * expected:.6f}, 0) mm"
    )
    run, F = shaking(best.mechanism)
    ground = run.reaction("A").force + run.reaction("cylinder").force
    print(f"the reactions at the frame tell the same force to {np.abs(np.abs(ground[:, :2]) - np.abs(F)).max():.1e} N")
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
        for force, label in ((shaking(mech)[1], "as described"), (F, "balanced")):
            axes.plot(*np.vstack([force, force[:1]]).T, label=label)
        axes.set(xlabel="force along the cylinder [N]", ylabel="across it [N]", aspect="equal")
        axes.legend()
        figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
