"""What laws cost: compiled, plain, several, sampled; a four-bar, an engine with tables and a controller, and Cassie.

Times are processor times of one process, the least of several rounds taken in turn.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

import cotree as ct

ROUNDS, END, STEP = 5, 1.0, 1e-3
CASSIE = Path(os.environ.get("COTREE_CASSIE", "cassie.xml"))  # Cassie's file of MuJoCo's menagerie


def torque(t, angle, rate):
    return 0.5 * math.sin(3.0 * t) - 0.2 * angle - 0.1 * rate


def controlled(*laws: object) -> ct.System:
    """A four-bar with these motors."""
    mech = ct.gallery.four_bar()
    for k, law in enumerate(laws):
        mech.motor(f"motor {k}", "A", law)
    return mech.compile()


def cpu(call: Callable[[], object]) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def in_turns(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Least processor seconds of each."""
    for call in calls.values():
        call()
    return {
        name: min(times)
        for name, times in zip(
            calls, zip(*[[cpu(c) for c in calls.values()] for _ in range(ROUNDS)], strict=True), strict=True
        )
    }


def per_evaluation() -> None:
    compiled = numba.njit(torque)
    systems = {
        "a number": controlled(0.5),
        "one compiled law": controlled(compiled),
        "one plain law": controlled(torque),
        "five plain laws": controlled(*[torque] * 5),
        "one sampled law, 1 kHz": controlled(ct.Law(torque, period=1e-3)),
    }
    runs = {name: lambda s=s: ct.simulate(s, END, step=STEP, method="rk4", output=[END]) for name, s in systems.items()}
    found, evaluations = in_turns(runs), runs["a number"]().statistics["evaluations"]
    base = found["a number"] / evaluations * 1e6
    print(
        f"four-bar, rk4, {STEP:g} s a step: {base:.2f} microseconds an evaluation with a constant torque; beyond that"
    )
    for name in list(found)[1:]:
        print(f"  {name:26s} {found[name] / evaluations * 1e6 - base:6.2f}")


R, L, BORE = 0.045, 0.145, 0.086
AREA = math.pi * BORE**2 / 4
SPEED, KP, KI, MOST = 2 * math.pi * 25, 4.0, 30.0, 30.0


def gas_table() -> tuple[np.ndarray, np.ndarray]:
    """Crank angle over two turns, and the force of the gas on the piston."""
    clearance = AREA * 2 * R / 9.5

    def volume(a):
        return clearance + AREA * (R * (1 - np.cos(a)) + L - np.sqrt(L**2 - (R * np.sin(a)) ** 2))

    angle = np.radians(np.arange(0, 721, 2))
    p = np.full_like(angle, 1e5)
    squeezed, burnt = angle > np.radians(540), angle < np.radians(180)
    p[squeezed] = 1e5 * (volume(np.pi) / volume(angle[squeezed])) ** 1.32
    first = volume(np.radians(15))
    p[burnt] = np.maximum(1e5, 45e5 * (first / np.maximum(volume(angle[burnt]), first)) ** 1.28)
    p[-1] = p[0]
    p = np.convolve(np.concatenate([p[-6:-1], p, p[1:6]]), np.ones(7) / 7, "same")[5:-5]
    return angle, np.ascontiguousarray((p - 1e5) * AREA)


def engine(laws: bool) -> ct.Mechanism:
    """A slider-crank with gas forces by table and a speed controller that saturates, by functions of q and v in plain Python,
    or by compiled laws that know their joints."""
    mech = ct.Mechanism("engine", gravity=(0, -9.81, 0))
    crank = mech.body("crank", mass=4, com=(0, 0.003, 0), inertia=(0.08, 0.08, 0.15))
    rod = mech.body("rod", mass=0.6, com=(0, R + 0.3 * L, 0), inertia=(0.002, 0.0001, 0.002))
    piston = mech.body("piston", mass=0.45, com=(0, R + L + 0.01, 0), inertia=(5e-4, 5e-4, 5e-4))
    mech.joint("main", mech.ground, crank, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("bigend", crank, rod, ct.Revolute((0, R, 0), (0, 0, 1)))
    mech.joint("wrist", rod, piston, ct.Revolute((0, R + L, 0), (0, 0, 1)))
    mech.joint("bore", mech.ground, piston, ct.Prismatic(axis=(0, 1, 0)))
    mech.joint_damper("oil", "main", damping=0.02)
    angles, forces = gas_table()

    def gas(q):
        return (0.0, -np.interp(q[0] % (4 * np.pi), angles, forces), 0.0)

    def brake(t, q, v):
        return float(np.clip(KP * (SPEED - v[0]) + KI * (SPEED * t - q[0]), -MOST, MOST))

    step = angles[1]

    @numba.njit
    def by_table(q):
        x = (q[0] % (4 * math.pi)) / step
        k = min(int(x), forces.size - 2)
        return 0.0, -(forces[k] + (x - k) * (forces[k + 1] - forces[k])), 0.0

    @numba.njit
    def governor(t, angle, rate):
        return min(max(KP * (SPEED - rate) + KI * (SPEED * t - angle), -MOST), MOST)

    mech.force("gas", piston, by_table if laws else gas)
    mech.motor("dyno", "main", governor if laws else brake)
    return mech


def engines() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"v": {"main": SPEED * 0.9}}
        systems = {"plain functions of q, v": engine(False).compile(), "compiled laws": engine(True).compile()}
        runs = {name: lambda s=s: ct.simulate(s, 1.0, **options) for name, s in systems.items()}
        found, made = in_turns(runs), {name: call() for name, call in runs.items()}
    print("engine with a gas table and a governor, 1 s at 25 turns a second: seconds of processor time")
    for name, seconds in found.items():
        n = made[name].statistics["evaluations"]
        print(f"  {name:26s} {seconds:6.3f} s, {n} evaluations, {seconds / n * 1e6:5.2f} microseconds each")
    apart = max(np.abs(x.v[:, 0] - y.v[:, 0]).max() for x, y in [tuple(made.values())])
    print(f"  largest difference of the speeds {apart:.1e} rad/s")


def cassie() -> None:
    if not CASSIE.exists():
        print("Cassie: COTREE_CASSIE does not name its file")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mech = ct.load(CASSIE)
        mech.joint_forces = {k: f for k, f in mech.joint_forces.items() if f.torque is None}
        joints = [
            f"{side}-{j}" for side in ("left", "right") for j in ("hip-roll", "hip-yaw", "hip-pitch", "knee", "foot")
        ]
        base = ct.Stepper(mech, step=1e-3, record=False)
        for name in joints:
            rest = float(base.joint(name).angle)
            mech.motor(
                f"pd {name}", name, ct.Law(lambda angle, rate, a=rest: 400.0 * (a - angle) - 8.0 * rate, period=1e-3)
            )
        for step in (1e-3, 5e-4):
            stepper = ct.Stepper(mech, step=step, record=False)
            stepper.step(20)
            seconds = min(cpu(lambda s=stepper, h=step: s.step(round(0.1 / h))) for _ in range(3))
            print(
                f"Cassie, ten sampled PD laws at 1 kHz, {step:g} s a step: {0.1 / seconds:.2f} times as fast as real time"
            )


def main() -> None:
    per_evaluation()
    engines()
    cassie()


if __name__ == "__main__":
    main()
