"""Runs on lanes beside single runs, over mechanisms drawn by number: trees, loops and networks, in both groups.

`python -m tests.integrate.lane_survey 1000` prints the largest differences of that many mechanisms; tests take a few of them.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

import cotree as ct
from tests import closed_mechanisms as closed
from tests.random_mechanisms import TreeData, error, random_tree

STARTS = 3
LITERATURE = (
    "four_bar", "five_bar", "flat_parallelogram", "slider_crank", "double_parallelogram", "spherical_four_bar", "sarrus",
    "bennett", "bricard", "prrr3", "stewart", "delta",
)  # fmt: skip
FAMILIES = ("planar", "spherical", "schoenflies", "spatial")
CUTS = ("Revolute", "Universal", "Spherical", "Helical", "Cylindrical")


class Found(NamedTuple):
    """What is off between lanes and single runs, which part of the steps was tried on lanes, and how many constraint rows
    there are."""

    off: float
    shared: float
    rows: int


def drawn(seed: int) -> tuple[TreeData, dict[str, Any]]:
    """A mechanism, and how it is compiled."""
    rng, group = np.random.default_rng(seed), ("SE3", "SO3xR3")[seed % 2]
    options: dict[str, Any] = {"group": group} | ({"coordinates": "absolute"} if seed % 5 == 4 else {})
    match seed % 4:
        case 0:
            return random_tree(rng, int(rng.integers(1, 7)), massless=0.0), options
        case 1:
            families = (FAMILIES[rng.integers(4)], FAMILIES[rng.integers(4)])
            return closed.random_loop(rng, families, CUTS[rng.integers(len(CUTS))]), options
        case 2:
            return closed.random_network(rng, FAMILIES[rng.integers(4)], 2), options
        case _:
            return getattr(closed, LITERATURE[rng.integers(len(LITERATURE))])(), options


def starts(system: ct.System, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Closed configurations and admissible velocities."""
    rng = np.random.default_rng([seed, 1])
    q = np.array([closed.closed_pose(system, rng) for _ in range(STARTS)])
    v = np.array([ct.consistent_velocity(system, x, rng.normal(size=system.nv)) for x in q])
    return q, v


def compared(system: ct.System, q: Any, v: Any, t_end: float, **options: Any) -> Found:
    """All states of all runs."""
    runs = ct.simulate_many(system, t_end, q, v, lanes=True, threads=1, output=3, **options)
    off, shared, steps = 0.0, 0, 0
    for i in range(len(q)):
        alone = ct.simulate_many(system, t_end, q[i : i + 1], v[i : i + 1], lanes=False, output=3, **options)
        one, other = runs.members[i], alone.members[0]
        assert type(one) is type(other)
        assert runs.status[i] == alone.status[0]
        if not isinstance(one, ct.Run) or not isinstance(other, ct.Run):
            continue
        assert [x.kind for x in one.warnings] == [x.kind for x in other.warnings]
        off = max(off, error(one.q, other.q), error(one.v, other.v), error(one.work, other.work))
        assert {k: one.statistics[k] for k in ("steps", "rejected")} == {
            k: other.statistics[k] for k in ("steps", "rejected")
        }
        shared += one.statistics.get("steps_on_lanes", 0)
        steps += one.statistics["steps"] + one.statistics["rejected"]
    return Found(off, shared / max(steps, 1), system.n_constraints)


def survey(seed: int, **options: Any) -> Found | None:
    """Of one mechanism; None where it cannot be assembled or started."""
    data, how = drawn(seed)
    try:
        system = data.compile(**how)
        q, v = starts(system, seed)
    except ct.errors.CotreeError:
        return None
    return compared(system, q, v, 0.02, **(options or {"step": 0.004}))


def main(first: int, last: int, **options: Any) -> None:
    found = []
    for seed in range(first, last):
        try:
            x = survey(seed, **options)
        except AssertionError as e:
            print("seed", seed, "differs", str(e)[:300], flush=True)
            continue
        if x is None:
            continue
        found.append((x.off, seed, x))
        if x.off > 1e-12:
            print("seed", seed, x, flush=True)
    loops, all_of = [x for _, _, x in found if x.rows], [x for _, _, x in found]
    print(
        f"{len(found)} mechanisms, {len(loops)} with loops; largest difference {max(found)[0]:.2g} (seed {max(found)[1]})"
    )
    print(
        f"steps on lanes: {np.mean([x.shared for x in all_of]):.0%}, with loops {np.mean([x.shared for x in loops]):.0%}"
    )
    print(f"alone: {sum(x.shared == 0 for x in all_of)}")


if __name__ == "__main__":
    main(0, int(sys.argv[1]), **({"rtol": 1e-8} if "adaptive" in sys.argv else {}))
