"""Four-bars with different dimensions, ten seconds each with its certificate: `simulate_many` on lanes beside single runs.

`python -m benchmarks many_runs [RUNS]` takes processor time of one thread, in turns, and the most memory of the process. Both
ways build and compile every mechanism, close its loops, run it, and judge the run.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cotree as ct

RUNS, T_END, ROWS, PART, FEW = 1024, 10.0, 101, 256, 48  # at a time: runs on lanes, and the first of them alone
z = (0.0, 0.0, 1.0)


def four_bar(crank: float, coupler: float, rocker: float, base: float) -> ct.Mechanism:
    """Uniform bars of 1 kg/m, the crank 0.9 rad above the base."""
    A, D = np.zeros(3), np.array([base, 0.0, 0.0])
    B = crank * np.array([np.cos(0.9), np.sin(0.9), 0.0])
    span = D - B
    length = float(np.linalg.norm(span))
    x = (coupler**2 - rocker**2 + length**2) / (2.0 * length)
    e = span / length
    C = B + x * e + np.sqrt(coupler**2 - x**2) * np.array([-e[1], e[0], 0.0])
    mech = ct.Mechanism("four-bar", gravity=(0, -9.81, 0))
    for name, size, p, q in (("crank", crank, A, B), ("coupler", coupler, B, C), ("rocker", rocker, C, D)):
        mech.body(name, mass=size, com=0.5 * (p + q), inertia=(size**3 / 12,) * 3)
    for name, parent, child, p in (
        ("A", "ground", "crank", A),
        ("B", "crank", "coupler", B),
        ("C", "coupler", "rocker", C),
        ("D", "ground", "rocker", D),
    ):
        mech.joint(name, parent, child, ct.Revolute(point=p, axis=z))
    return mech


def dimensions(count: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    ranges = {"crank": (0.9, 1.1), "coupler": (1.8, 2.0), "rocker": (1.3, 1.5), "base": (2.3, 2.6)}
    return {name: rng.uniform(*ends, count) for name, ends in ranges.items()}


def on_lanes(given: dict[str, Any]) -> list[str]:
    """What the certificates of all runs say."""
    runs = ct.simulate_many(
        four_bar, T_END, parameters=given, lanes=True, threads=1, output=ROWS, measure=str, accuracy=True
    )
    return [outcome(x) for x in runs.measured or ()]


def alone(given: dict[str, Any]) -> list[str]:
    """The same, one run after the other."""
    found = []
    for k in range(len(given["crank"])):
        run = ct.simulate(four_bar(**{name: x[k] for name, x in given.items()}), T_END, output=ROWS)
        found.append(outcome(str(run)))
    return found


def outcome(certificate: str) -> str:
    """Its first line but for the numbers of steps, and how many warnings there are."""
    return (
        f"{certificate.split(' s, ')[0]}, {certificate.count('warning') + certificate.count('do not trust')} warnings"
    )


def spent(call: Callable[[dict[str, Any]], list[str]], given: dict[str, Any]) -> tuple[float, list[str]]:
    begin = time.process_time()
    found = call(given)
    return (time.process_time() - begin) / len(found), found


def main() -> None:
    asked = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    count = asked[0] if asked else RUNS
    given = dimensions(count)
    for call in (on_lanes, alone):
        call({name: x[:8] for name, x in given.items()})  # compiled
    times = []
    print(f"{count} four-bars with different dimensions, {T_END:g} s each, {ROWS} rows, with certificates, one thread")
    for k in range(0, count, PART):
        own = {name: x[k : k + PART] for name, x in given.items()}
        few = {name: x[:FEW] for name, x in own.items()}
        (lanes, one), (single, other) = spent(on_lanes, own), spent(alone, few)
        assert one[: len(other)] == other
        times.append((lanes, single))
        print(
            f"  on lanes {1e3 * lanes:6.2f} ms a run, alone {1e3 * single:6.2f} ms, ratio {single / lanes:.2f}",
            flush=True,
        )
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    for word, of in (("least", np.min), ("median", np.median)):
        lanes, single = of(times, axis=0)
        print(f"{word} of each: {1e3 * lanes:.2f} and {1e3 * single:.2f} ms, ratio {single / lanes:.2f}")
    print(f"at most {megabytes:.0f} MB")


if __name__ == "__main__":
    main()
