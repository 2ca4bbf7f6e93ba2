"""What formulation "auto" chooses, beside the best of all, on fifteen topologies: one call from Python, and one step of a run.

`python -m benchmarks choosing` prints both tables; `--small` leaves systems of more than 400 coordinates out, `--steps` the
first table; names of topologies, or parts of them, select some. Times are processor time of one thread. Wanted: "auto" at most
a third slower than the best.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np

import cotree as ct
from benchmarks.timing import warm
from cotree.errors import SingularWarning
from cotree.papers.dca._shapes import coupled_chain, net, planets, plate, ring, star_ring

MATRICES = ("index1", "projection", "voronets")
LARGE = 700  # coordinates above which matrices are left out: "auto" never takes them there where division pays
LARGE_STEPS = 250  # and in runs
STEPS, FEW = 300, 4  # of systems with less than a hundred coordinates, and of the others
CASES: dict[str, Callable[[], ct.Mechanism]] = {
    "four-bar": ct.gallery.four_bar,
    "Bricard 6R": ct.gallery.bricard,
    "3-PRRR": ct.gallery.three_prrr,
    "ring of 40": lambda: ring(40),
    "ring of 400": lambda: ring(400),
    "ladder of 10": lambda: ct.gallery.n_four_bar(10),
    "ladder of 40": lambda: ct.gallery.n_four_bar(40),
    "ladder of 200": lambda: ct.gallery.n_four_bar(200),
    "plate on 6 legs": lambda: plate(6),
    "plate on 60 legs": lambda: plate(60),
    "sun with 30 planets": lambda: planets(30),
    "sun with 400 planets": lambda: planets(400),
    "star of 60 with a ring": lambda: star_ring(60),
    "net of 8 x 8": lambda: net(8),
    "chain of 100, one coupling": lambda: coupled_chain(100),
}


def state(system: ct.System) -> tuple[np.ndarray, np.ndarray]:
    """The reference assembly with an admissible velocity."""
    v = np.random.default_rng(5).standard_normal(system.nv)
    return system.q0, ct.consistent_velocity(system, system.q0, v)


def able(system: ct.System, most: int = LARGE) -> list[str]:
    """Formulations that can be had in reasonable time."""
    return ["auto", "odca", *(MATRICES if system.nv <= most else ())]


def seconds_of_calls(system: ct.System) -> dict[str, float]:
    """Seconds of a call of forward_dynamics, by formulation."""
    q, v = state(system)
    names = able(system)
    calls = [lambda f=f: ct.forward_dynamics(system, q, v, formulation=f) for f in names]
    return dict(zip(names, warm(calls), strict=True))


def seconds_of_steps(system: ct.System) -> dict[str, float]:
    """Seconds of a step of a run, by formulation: of a run of some steps, less one of a single step; the whole run by its
    steps where that is lost in the noise of large matrices."""
    q, v = state(system)
    names, h, steps = able(system, LARGE_STEPS), 1e-4, STEPS if system.nv < 100 else FEW
    calls = [
        lambda f=f, n=n: ct.simulate(system, n * h, q=q, v=v, step=h, formulation=f, output=[n * h])
        for f in names
        for n in (1, 1 + steps)
    ]
    found = np.array(warm(calls)).reshape(-1, 2)
    step = (found[:, 1] - found[:, 0]) / steps
    whole = found[:, 1] / (1 + steps)
    return dict(zip(names, np.where(step > 0.1 * whole, step, whole).tolist(), strict=True))


def show(name: str, nv: int, found: dict[str, float]) -> float:
    """Prints a row; returns the time of "auto" over that of the best."""
    others = {f: x for f, x in found.items() if f != "auto"}
    best = min(others, key=lambda f: others[f])
    ratio = found["auto"] / others[best]
    cells = "".join(f"{1e3 * found[f]:12.3f}" if f in found else f"{'':12}" for f in ("auto", "odca", *MATRICES))
    print(f"  {name:<28}{nv:6d}{cells}   {best:<12}{ratio:6.2f}", flush=True)
    return ratio


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("-") and word != "choosing"]
    wanted = {n: make for n, make in CASES.items() if not words or any(word in n for word in words)}
    systems = {name: make().compile() for name, make in wanted.items()}
    if "--small" in sys.argv:
        systems = {name: s for name, s in systems.items() if s.nv <= 400}
    warnings.simplefilter("ignore", SingularWarning)
    tables = {"one call [ms]": seconds_of_calls, "one step of a run [ms]": seconds_of_steps}
    for what, measure in tables.items():
        if "--steps" in sys.argv and measure is seconds_of_calls:
            continue
        heads = "".join(f"{f:>12}" for f in ("auto", "odca", *MATRICES))
        print(f"{what}\n  {'':<28}{'nv':>6}{heads}   {'best':<12}{'auto':>6}")
        ratios = [show(name, s.nv, measure(s)) for name, s in systems.items()]
        print(f"  auto takes at most {max(ratios):.2f} times the time of the best (wanted: 1.33)")


if __name__ == "__main__":
    main()
