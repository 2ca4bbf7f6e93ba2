"""Campbell diagram of a rigid rotor on flexible supports: frequencies against speed, beside the closed form.

A rotor of mass m, moments of inertia I across and P along its axis, on springs k at both ends, a distance b from the middle:
its bounces have sqrt(2 k / m) at any speed; its whirls are w = |s P/I +- sqrt((s P/I)^2 + 4 K/I)| / 2 with K = 2 k b^2, s the
speed: backward and forward whirl. The spin meets the forward whirl of a slender rotor at its critical speed.

    python examples/campbell.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np

import cotree as ct

MASS, ACROSS, ALONG, STIFFNESS, ARM = 8.0, 0.30, 0.12, 4.0e4, 0.4


def rotor() -> ct.Mechanism:
    """A shaft that moves sideways and tilts, and on it the rotor that spins about its axis z."""
    mech = ct.Mechanism("rotor", gravity=(0, 0, 0))
    light = {"mass": 0.0, "com": (0, 0, 0), "inertia": (0, 0, 0)}
    before: str = "ground"
    motions = {
        "x": ct.Prismatic(axis=(1, 0, 0)), "y": ct.Prismatic(axis=(0, 1, 0)),
        "tilt x": ct.Revolute((0, 0, 0), (1, 0, 0)), "tilt y": ct.Revolute((0, 0, 0), (0, 1, 0)),
    }  # fmt: skip
    for name, joint in motions.items():
        mech.body(f"shaft {name}", **light)
        mech.joint(name, before, f"shaft {name}", joint)
        before = f"shaft {name}"
    mech.body("rotor", mass=MASS, com=(0, 0, 0), inertia=(ACROSS, ACROSS, ALONG))
    mech.joint("spin", before, "rotor", ct.Revolute((0, 0, 0), (0, 0, 1)))
    for name in ("x", "y"):
        mech.joint_spring(f"support {name}", name, stiffness=2.0 * STIFFNESS)
        mech.joint_spring(f"support tilt {name}", f"tilt {name}", stiffness=2.0 * STIFFNESS * ARM**2)
    return mech


def frequencies(system: ct.System, speed: float) -> np.ndarray:
    """The four natural frequencies [Hz] at a speed [rad/s], ascending."""
    linear = ct.linearize(system, v={"spin": speed, "x": 0.0, "y": 0.0, "tilt x": 0.0, "tilt y": 0.0})
    oscillations = linear.eigenvalues[linear.eigenvalues.imag > 1e-6]
    return np.sort(oscillations.imag) / (2.0 * np.pi)


def closed_form(speed: float) -> np.ndarray:
    bounce, K, s = np.sqrt(2.0 * STIFFNESS / MASS), 2.0 * STIFFNESS * ARM**2, speed * ALONG / ACROSS
    root = np.sqrt(s**2 + 4.0 * K / ACROSS)
    return np.sort([bounce, bounce, (root - s) / 2.0, (root + s) / 2.0]) / (2.0 * np.pi)


def main(picture: str | None = None) -> None:
    system = rotor().compile()
    speeds = np.linspace(0.0, 600.0, 61)
    found = np.array([frequencies(system, s) for s in speeds])
    expected = np.array([closed_form(s) for s in speeds])
    off = np.abs(found / expected - 1.0).max()
    print(f"{len(speeds)} speeds, greatest relative difference from the closed form: {off:.1e}")
    critical = np.sqrt(2.0 * STIFFNESS * ARM**2 / (ACROSS - ALONG))
    print(f"critical speeds: {np.sqrt(2.0 * STIFFNESS / MASS):.2f} rad/s (bounce), {critical:.2f} rad/s (whirl)")
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(7, 5))
        axes.plot(speeds, found, "o", ms=3, color="tab:blue", label="ct.linearize")
        axes.plot(speeds, expected, lw=1, color="tab:orange", label="closed form")
        axes.plot(speeds, speeds / (2.0 * np.pi), "k--", lw=1, label="spin")
        axes.set_xlabel("speed [rad/s]")
        axes.set_ylabel("frequency [Hz]")
        handles, labels = axes.get_legend_handles_labels()
        once = dict(zip(labels, handles, strict=True))
        axes.legend(once.values(), once.keys())
        figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
