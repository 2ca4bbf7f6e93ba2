"""Valid calls of everything public, from which the fuzzer departs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cotree as ct

Make = Callable[[], Any]
T_END = 0.02  # seconds that are simulated


@dataclass(frozen=True)
class Target:
    """A call that works: what is called with these arguments, each made afresh; `needed` is always passed."""

    name: str
    call: Callable[..., Any]
    arguments: dict[str, Make]
    needed: tuple[str, ...]


class Bench:
    """Mechanisms, systems and runs that calls are made with."""

    def __init__(self) -> None:
        self.mech = ct.gallery.four_bar()
        self.system = self.mech.compile()
        self.q = self.system.q0.copy()
        self.v = ct.consistent_velocity(self.system, self.q, [0.3, 0.0, 0.0])
        self.run = ct.simulate(self.system, 0.05, v=self.v, progress=False)
        self.tree = mixed()
        self.stepper = ct.Stepper(self.system, 1e-4, record=False)
        loaded = ct.gallery.four_bar()
        loaded.motor("m", "A", 0.5)
        self.loaded = ct.simulate(loaded, T_END, output=3, progress=False)

    def own(self) -> tuple[Make, ...]:
        """Things of the package in places where they do not belong."""
        things = (
            self.mech,
            self.system,
            self.run,
            self.mech.bodies["crank"],
            self.mech.joints["A"],
            ct.Revolute(),
            ct.Rod((0, 0, 0), (1, 0, 0)),
            ct.Event(lambda t: t - 0.1),
            ct.Revolute,
            ct.Rod,
            ct.Mechanism,
            ct,
            self.run.energy,
            ct.Mechanism("empty"),
        )
        return tuple(lambda x=x: x for x in things)


def mixed() -> Any:
    """A tree with joints of several kinds, in which names are body 'b1'.. and joint 'J1'.."""
    mech = ct.Mechanism("mixed", gravity=(0, 0, -9.81))
    joints = (
        ct.Revolute((0, 0, 0), (0, 1, 0)),
        ct.Spherical((1, 0, 0)),
        ct.Prismatic((1, 0, 0)),
        ct.Universal((2, 0, 0)),
    )
    before = mech.ground
    for k, joint in enumerate(joints, 1):
        body = mech.body(f"b{k}", mass=1.0, com=(k - 0.5, 0.1, 0.0), inertia=(0.1, 0.2, 0.2))
        mech.joint(f"J{k}", before, body, joint)
        before = body
    return mech


def const(x: Any) -> Make:
    return lambda: x


def target(name: str, call: Callable[..., Any], needed: str = "", /, **arguments: Any) -> Target:
    makes = {
        k: x if callable(x) and getattr(x, "__name__", "") == "<lambda>" else const(x) for k, x in arguments.items()
    }
    return Target(name, call, makes, tuple(needed.split()))
