"""A four-bar stepped from Python, a millisecond at a time, beside MuJoCo's `mj_step` on the same mechanism.

Times are processor times of one process, the least of several rounds taken in turn.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cotree as ct

STEP, STEPS, ROUNDS = 1e-3, 2000, 7


def measured(step: Callable[[], object]) -> float:
    """Microseconds of a call."""
    begun = time.process_time()
    for _ in range(STEPS):
        step()
    return (time.process_time() - begun) / STEPS * 1e6


def mujoco_step(mech: ct.Mechanism, integrator: str) -> Callable[[], object]:
    """`mj_step` on the mechanism, by way of a file."""
    import mujoco

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mechanism.xml"
        ct.save(mech, path)
        model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = STEP
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    return lambda: mujoco.mj_step(model, data)


def contestants() -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    mech = ct.gallery.four_bar()
    plain, driven = ct.Stepper(mech, STEP, record=False), ct.Stepper(mech, STEP, record=False)
    driven.set(torque={"A": 0.1})
    count = iter(range(10**9))

    def controlled() -> None:
        driven.set(torque={"A": 1e-6 * next(count)})
        driven.step()

    return {
        "Stepper.step(), rk4": plain.step,
        "Stepper.set(torque=...) and step()": controlled,
        "mj_step, Euler": mujoco_step(mech, "EULER"),
        "mj_step, RK4": mujoco_step(mech, "RK4"),
    }


def main() -> None:
    steps = contestants()
    found: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(ROUNDS):
        for name, step in steps.items():
            found[name].append(measured(step))
    print(f"four-bar, {STEP:g} s a step, from Python: microseconds of processor time a step")
    for name, times in found.items():
        print(f"  {name:36s} {min(times):6.1f}")


if __name__ == "__main__":
    main()
