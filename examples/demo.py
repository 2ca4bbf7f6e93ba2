"""From nothing to a result: the README's four-bar, released under gravity, and how far its ten seconds can be trusted."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import cotree as ct


def main() -> None:
    mech = ct.gallery.four_bar()
    system = mech.compile()
    print(system)
    print()
    print("compiling (once per machine, then cached) ...")
    start = time.perf_counter()
    print(ct.mobility(system))
    ct.simulate(system, 0.01)
    print(f"first calls took {time.perf_counter() - start:.1f} s")
    print()
    start = time.perf_counter()
    run = ct.simulate(system, t_end=10.0)
    print(f"ten seconds simulated in {1e3 * (time.perf_counter() - start):.0f} ms")
    print(run)
    plot(run)


def plot(run: ct.Run) -> None:
    """Angles, energy and closure against time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (angles, energy, closure) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for k, name in enumerate(run.system.coordinate_names):
        angles.plot(run.t, run.q[:, k], label=name)
    angles.set(xlabel="time [s]", ylabel="joint angle [rad]", title="motion")
    angles.legend(title="joint")
    for name in ("kinetic", "potential", "total"):
        energy.plot(run.t, getattr(run.energy, name), label=name)
    energy.set(xlabel="time [s]", ylabel="energy [J]", title="energy")
    energy.legend()
    closure.semilogy(run.t, np.maximum(run.violation, 1e-17))
    closure.set(xlabel="time [s]", ylabel="gap of the loop [m]", title="closure", ylim=(1e-17, 1e-9))
    path = Path("out") / "demo.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    print(f"  picture: {path}")


if __name__ == "__main__":
    main()
