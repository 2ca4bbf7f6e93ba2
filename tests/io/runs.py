"""Runs to save: any numbers at all, with everything in them that a run can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

import cotree as ct
from cotree.integrate.events.crossings import Crossing
from cotree.integrate.events.event import Occurrence
from cotree.integrate.settings import Settings


def full_run(mech: ct.Mechanism, seed: int = 0, k: int = 5, **options: Any) -> ct.Run:
    """A run of k times whose system is compiled with these options."""
    system, rng = mech.compile(**options), np.random.default_rng(seed)
    q = np.array([ct.displace(system, system.q0, 0.3 * rng.normal(size=system.nv)) for _ in range(k)])
    v = rng.normal(size=(k, system.nv))
    return ct.Run(
        system, np.sort(rng.random(k)), q, v, "event", "é: stopped",
        {"steps": np.int64(7), "rejected": 1, "method": "rk4", "largest": np.float64(0.1), "none": np.nan},
        Settings("rk4", stabilize="partition", step=1 / 3, partition={"position": (system.coordinate_names[0],)}),
        tuple(Occurrence(name, rng.random(), q[i], v[i], i == 1, i) for i, name in enumerate(("stop é", "top"))),
        (Crossing(rng.random(), "passed", ("A", "B"), "A and B line up", "same"),),
        rng.normal(size=(k, 3)),
    )  # fmt: skip
