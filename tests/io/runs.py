"""Runs to save: from the simulation, and with everything in them that a run can hold."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any

import numpy as np

import cotree as ct
from cotree.integrate import run as run_module


@dataclass(frozen=True, eq=False)
class EventData:
    name: str
    t: float
    q: np.ndarray
    v: np.ndarray
    terminal: bool
    index: int


@dataclass(frozen=True)
class CrossingData:
    t: float
    kind: str
    joints: tuple[str, ...]
    words: str


KEPT = {"settings", "events", "crossings", "work"}  # in files, whichever of them `Run` has itself
LACKING = sorted(KEPT - {f.name for f in fields(ct.Run)})
FullRun: Any = ct.Run
if LACKING:
    more = [(name, Any, field(default=None)) for name in LACKING]
    FullRun = make_dataclass("FullRun", more, bases=(ct.Run,), frozen=True, eq=False)

Event = getattr(run_module, "Event", EventData)
Crossing = getattr(run_module, "Crossing", CrossingData)


def full_run(mech: ct.Mechanism, seed: int = 0, k: int = 5, **options: Any) -> Any:
    """Any numbers at all in a run of k times, compiled with these options."""
    system, rng = mech.compile(**options), np.random.default_rng(seed)
    q = np.array([ct.displace(system, system.q0, 0.3 * rng.normal(size=system.nv)) for _ in range(k)])
    v = rng.normal(size=(k, system.nv))
    events = tuple(Event(name, rng.random(), q[i], v[i], i == 1, i) for i, name in enumerate(("stop é", "top")))
    values = {
        "system": system, "t": np.sort(rng.random(k)), "q": q, "v": v, "status": "event", "message": "é: stopped",
        "statistics": {"steps": np.int64(7), "rejected": 1, "method": "rk4", "largest": np.float64(0.1), "none": np.nan},
        "settings": {"method": "rk4", "step": None, "rtol": 1e-8, "coordinates": "relative", "group": "SE3", "cut": None,
                     "regularize": True, **options},
        "events": events, "crossings": (Crossing(rng.random(), "fold", ("A", "B"), "A and B line up"),),
        "work": rng.normal(size=(k, 2)),
    }  # fmt: skip
    return FullRun(**{f.name: values[f.name] for f in fields(FullRun) if f.name in values})
