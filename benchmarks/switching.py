"""What switches cost: runs with locks, bounces and stick-slip beside the same time of smooth motion; milliseconds a switch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import cotree as ct
from benchmarks.timing import settled


def plain_arm() -> ct.Run:
    return ct.simulate(ct.gallery.planar_3r(), 2.5)


def locked_arm() -> ct.Run:
    arm = ct.gallery.planar_3r()
    arm.lock("J2", at=0.7, until=1.8)
    arm.lock("J3", at=1.2, until=2.0)
    return ct.simulate(arm, 2.5)


def bouncing_pendulum(restitution: float = 0.5) -> ct.Run:
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    bob = mech.body("bob", 1.0, (1.0, 0.0, 0.0), (0.01, 0.01, 0.01))
    mech.joint("A", mech.ground, bob, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.limit("A", lower=-1.0, restitution=restitution)
    return ct.simulate(mech, 3.0)


def stick_slip() -> ct.Run:
    """A block on a rough table, pulled by a spring whose other end goes to and fro."""
    mech = ct.Mechanism("stick-slip", gravity=(0, 0, 0))
    block = mech.body("block", 1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    hand = mech.body("hand", 1.0, (1.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    mech.joint("slide", mech.ground, block, ct.Prismatic((1, 0, 0)))
    mech.joint("pull", mech.ground, hand, ct.Prismatic((1, 0, 0)))
    mech.spring("rubber", block, (0, 0, 0), hand, (1, 0, 0), stiffness=40.0)
    mech.drive("to and fro", "pull", lambda t: 0.5 * np.sin(2.0 * t))
    mech.brake("slide", 6.0, static_ratio=1.3)
    return ct.simulate(mech, 10.0)


def main() -> None:
    runs: list[Callable[[], ct.Run]] = [plain_arm, locked_arm, bouncing_pendulum, stick_slip]
    seconds = settled(list(runs), [1] * len(runs), seconds=1.0)
    print("Switching: one run from the description on, processor time of its thread")
    print(f"{'':20} {'ms':>8} {'steps':>6} {'switches':>9} {'ms/switch':>10}")
    for make, s in zip(runs, seconds, strict=True):
        run = make()
        n = len(run.switches)
        each = f"{1e3 * (s - seconds[0]) / n:10.2f}" if make is locked_arm else f"{1e3 * s / n:10.2f}" if n else ""
        print(f"{make.__name__:20} {1e3 * s:8.1f} {run.statistics['steps']:6d} {n:9d} {each}")


if __name__ == "__main__":
    main()
