"""Partition by criterion against mass-orthogonal projection [Geo 5.3]: size of the corrections, error of the motion, cost.

Snakeboard (its 12 plain coordinates x, y, angle; Euler, 5 ms, from 2.1 s to 4 s) and four-bar (Runge-Kutta, 5 ms, 5 s): sums of
h xᵀMx over all corrections of positions and of velocities; greatest distance of the coordinates from a reference at the end;
and microseconds a step beyond that of a run without stabilization (least of five runs). Prints two tables.
"""

from __future__ import annotations

import time

import numpy as np

import cotree as ct

SEEN = [f"{b} place.v{k}" for b in ("board", "rotor", "front", "rear") for k in "xy"]


def snakeboard():
    """(system, words for the run, {name: stabilization})."""
    mech = ct.gallery.snakeboard(axes="world")
    start = ct.simulate(mech, 2.1, rtol=1e-11, atol=1e-11, output=[2.1])
    words = {"t_end": (2.1, 4.0), "q": start.q[0], "v": start.v[0], "method": "euler", "step": 0.005}
    others = [n for n in (*SEEN, "board angle") if n != "front place.vx"]
    poor = [n for n in (*SEEN, "board angle") if n != "board angle"]
    return mech.compile(), words, {
        "partition by criterion": {"stabilize": "partition"},
        "partition, front x independent": {"stabilize": ct.Partition(velocity=others)},
        "partition, board angle independent": {"stabilize": ct.Partition(velocity=poor)},
        "projection": {"stabilize": "projection"},
    }  # fmt: skip


def four_bar():
    mech = ct.gallery.four_bar()
    system = mech.compile()
    words = {"t_end": 5.0, "method": "rk4", "step": 0.005}
    named = {"partition by criterion": {"stabilize": "partition"}}
    for free in system.coordinate_names:
        dependent = [n for n in system.coordinate_names if n != free]
        named[f"partition, {free} independent"] = {"stabilize": ct.Partition(position=dependent, velocity=dependent)}
    return system, words, {**named, "projection": {"stabilize": "projection"}}


def timed(system, words, how):
    """(run, seconds): the quickest of five."""
    least = np.inf
    for _ in range(5):
        begin = time.perf_counter()
        run = ct.simulate(system, output=2, **words, **how)
        least = min(least, time.perf_counter() - begin)
    return run, least


def line(*cells):
    print("| " + " | ".join(cells) + " |")


def table(title, system, words, choices):
    print(f"\n{title}\n")
    exact = ct.simulate(
        system, rtol=1e-12, atol=1e-12, output=2, **{k: v for k, v in words.items() if k not in ("method", "step")}
    )
    _, plain = timed(system, words, {"stabilize": "none"})
    line("correction", "of positions [kg m² s]", "of velocities [J s]", "off the reference", "µs a step")
    line(*["---"] * 5)
    for name, how in choices.items():
        run, seconds = timed(system, words, how)
        if run.status != "done":
            line(name, "fails", run.message, "", "")
            continue
        s = run.statistics
        off = np.abs(run.q[-1] - exact.q[-1]).max()
        cost = 1e6 * (seconds - plain) / s["steps"]
        line(name, f"{s['position_correction']:.2e}", f"{s['velocity_correction']:.2e}", f"{off:.1e}", f"{cost:.1f}")


def main():
    table("Snakeboard, Euler, 5 ms", *snakeboard())
    table("Four-bar, Runge-Kutta, 5 ms", *four_bar())


if __name__ == "__main__":
    main()
