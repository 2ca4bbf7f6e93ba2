"""Cost of the gradient of a run by 20 parameters, forward and adjoint, as multiples of the run itself, and its error.

A four-bar of 10 s that hits a stop and is locked for a while; all in one process, in turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import cotree as ct
from benchmarks.timing import interleaved, repeated

NAMES = [
    *(f"{b}.{w}" for b in ("crank", "coupler", "rocker") for w in ("mass", "com.x", "com.y", "inertia.zz")),
    "coil.stiffness", "oil.damping", "motor.torque", "gravity.y", "B.point.x", "C.point.x", "stop.upper", "latch.at",
]  # fmt: skip
START: dict[str, Any] = {"v": {"A": 1.0}}
TIGHT: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
STEP = 1e-4


def mechanism() -> ct.Mechanism:
    mech = ct.gallery.four_bar()
    mech.joint_spring("coil", "A", stiffness=20.0)
    mech.joint_damper("oil", "A", damping=0.3)
    mech.motor("motor", "A", 6.0)
    mech.lock("B", at=3.3, until=3.5, name="latch")
    mech.limit("A", lower=-1.5, upper=0.1, restitution=0.6, name="stop")
    return mech


def costs() -> tuple[float, float, float]:
    """Seconds of a run, and the two ways in parts of it."""
    system = mechanism().compiled()
    given: dict[str, Any] = {**START, "parameters": NAMES, "outputs": ["A"]}
    calls = (
        lambda: ct.simulate(system, 10.0, **START, output=[10.0], progress=False),
        lambda: ct.sensitivities(system, 10.0, **given),
        lambda: ct.sensitivities(system, 10.0, **given, way="adjoint"),
    )
    for call in calls:
        call()
    run, forward, adjoint = interleaved([repeated(call, 1) for call in calls], [1] * 3)
    return run, forward / run, adjoint / run


def errors() -> tuple[float, float]:
    """Greatest relative difference from differences of tight runs, and between the two ways."""
    mech = mechanism()
    values = ct.parameters(mech)
    given: dict[str, Any] = {**START, "parameters": NAMES, "outputs": ["A"], "rtol": 1e-11, "atol": 1e-11}
    forward = ct.sensitivities(mech, 10.0, **given).dy[-1, 0]
    adjoint = ct.sensitivities(mech, 10.0, **given, way="adjoint").dy[-1, 0]

    def slope(name: str, h: float) -> float:
        ends = [
            ct.simulate(ct.with_parameters(mech, {name: values[name] + s}), 10.0, **START, output=[10.0], **TIGHT)
            for s in (h, -h)
        ]
        return float(ends[0].q[-1, 0] - ends[1].q[-1, 0]) / (2.0 * h)

    expected = np.array([(4.0 * slope(name, STEP) - slope(name, 2.0 * STEP)) / 3.0 for name in NAMES])
    size = np.maximum(np.abs(expected), 1e-3)
    return float((np.abs(forward - expected) / size).max()), float(np.abs(adjoint - forward).max() / size.max())


def main() -> None:
    run, forward, adjoint = costs()
    print(
        f"one run {1e3 * run:.0f} ms; gradient by {len(NAMES)} parameters: forward {forward:.1f}, adjoint {adjoint:.1f} runs"
    )
    off, apart = errors()
    print(f"off differences of tight runs by {off:.1e}, forward and adjoint apart by {apart:.1e}")


if __name__ == "__main__":
    main()
