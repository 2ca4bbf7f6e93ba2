"""Every element on a small machine of its own, with its force, its work and the energy balance of the run.

    python examples/elements.py [name of an element [picture.png]]

Each function adds one element, called "it", to an arm, a ball or two wheels; docs/elements.md has the table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import cotree as ct

Z = (0, 0, 1)
TABLE = [(-1.0, -20.0), (-0.1, -1.0), (0.0, 0.0), (0.2, 3.0), (1.0, 40.0)]
RUBS = [(-2.0, -1.0), (0.0, 0.0), (2.0, 1.0)]


def arm() -> ct.Mechanism:
    """A rod of 0.6 m that turns about A in a vertical plane."""
    mech = ct.Mechanism("arm", gravity=(0, -9.81, 0))
    link = mech.body("link", 1.0, (0.3, 0, 0), (0.001, 0.03, 0.03), shape=ct.Rod((0, 0, 0), (0.6, 0, 0), 0.02))
    mech.joint("A", mech.ground, link, ct.Revolute((0, 0, 0), Z))
    return mech


def ball() -> ct.Mechanism:
    """A mass of 0.5 kg that moves freely and does not turn."""
    mech = ct.Mechanism("ball")
    mech.body("ball", 0.5, (0, 0, -1), (1e-3, 1e-3, 1e-3), shape=ct.Sphere((0, 0, -1), 0.06))
    mech.joint("space", mech.ground, "ball", ct.Translation())
    return mech


def wheels() -> ct.Mechanism:
    """Two wheels beside each other."""
    mech = ct.Mechanism("wheels", gravity=(0, 0, 0))
    for name, joint, x, inertia in (("first", "A", 0.0, 0.1), ("second", "B", 0.5, 0.2)):
        mech.body(name, 1.0, (x, 0, 0), inertia * np.ones(3), shape=ct.Rod((x, 0, 0), (x, 0.08, 0), 0.01))
        mech.joint(joint, mech.ground, name, ct.Revolute((x, 0, 0), Z))
    return mech


@dataclass
class Example:
    """A mechanism whose element "it" is looked at, from these velocities on."""

    mech: ct.Mechanism
    v: dict[str, float] = field(default_factory=dict)
    t_end: float = 0.5


FLY = {"space.vx": 0.5, "space.vy": -0.3, "space.vz": 2.0}
TO_ARM = ("ground", (0.3, 0.5, 0), "link", (0.5, 0, 0))
TO_BALL = ("ground", (0.3, 0, 0), "ball", (0, 0, -1))


def spring() -> Example:
    mech = arm()
    mech.spring("it", *TO_ARM, stiffness=20.0, length=0.3, damping=1.0)
    return Example(mech)


def joint_spring() -> Example:
    mech = arm()
    mech.joint_spring("it", "A", stiffness=8.0, rest=0.5)
    return Example(mech)


def joint_damper() -> Example:
    mech = arm()
    mech.joint_damper("it", "A", damping=0.4)
    return Example(mech)


def nonlinear_spring() -> Example:
    mech = ball()
    mech.nonlinear_spring("it", *TO_BALL, force=TABLE, damping=RUBS)
    return Example(mech, FLY)


def nonlinear_joint_spring() -> Example:
    mech = arm()
    mech.nonlinear_joint_spring("it", "A", torque=TABLE, damping=RUBS)
    return Example(mech)


def rope() -> Example:
    mech = ball()
    mech.rope("it", *TO_BALL, stiffness=300.0, length=0.9, damping=0.3, exponent=2.0)
    return Example(mech, FLY)


def bump_stop() -> Example:
    mech = ball()
    mech.bump_stop("it", *TO_BALL, stiffness=50.0, length=1.1, damping=0.2, exponent=2.0)
    return Example(mech, FLY)


def force_between() -> Example:
    mech = arm()
    mech.force_between("it", *TO_ARM, force=lambda length, rate: 9.0 * length - 0.5 * rate)
    return Example(mech)


def actuator() -> Example:
    mech = arm()
    mech.actuator("it", *TO_ARM, target=0.5, kp=80.0, ki=40.0, kd=20.0, filter=0.02)
    return Example(mech)


def cable() -> Example:
    mech = ball()
    mech.cable(
        "it", [("ground", (0.3, 0, 0)), ("ball", (0, 0, -1)), ("ground", (-0.4, 0.2, 0))], 80.0, 1.8, damping=0.1
    )
    return Example(mech, FLY)


def belt() -> Example:
    mech = wheels()
    mech.belt("it", "A", "B", radius_a=0.1, radius_b=0.05, stiffness=1e3, damping=1.0)
    return Example(mech, {"A": 1.0})


def bushing() -> Example:
    mech = ct.Mechanism("bushing")
    mech.body("link", 1.0, (0.2, 0, 0), (0.01, 0.01, 0.01), shape=ct.Rod((0, 0, 0), (0.4, 0, 0), 0.005))
    mech.joint("free", mech.ground, "link", ct.Free())
    mech.bushing("it", "ground", "link", (0, 0, 0), stiffness=[20, 20, 20, 200, 200, 200], damping=6 * [0.5])
    return Example(mech, {"free.wz": 1.0})


def force() -> Example:
    mech = arm()
    mech.force("it", "link", lambda t: (2.0 * np.sin(4.0 * t), 6.0, 0.0), (0.6, 0, 0))
    return Example(mech)


def torque() -> Example:
    mech = arm()
    mech.torque("it", "link", (0.0, 0.0, 2.0))
    return Example(mech)


def motor() -> Example:
    mech = arm()
    mech.motor("it", "A", lambda t, rate: 3.0 + np.sin(4.0 * t) - 0.2 * rate)
    return Example(mech)


def motor_curve() -> Example:
    mech = arm()
    mech.motor_curve("it", "A", curve=[(-10.0, 4.0), (0.0, 4.0), (6.0, 3.0), (10.0, 0.0), (12.0, 0.0)])
    return Example(mech)


def pid() -> Example:
    mech = arm()
    mech.pid("it", "A", target=0.3, kp=20.0, ki=10.0, kd=3.0, filter=0.02)
    return Example(mech)


def law() -> Example:
    def lagging(angle: float, rate: float, torque: float) -> tuple[float, float]:
        return torque, (3.0 + 8.0 * (0.3 - angle) - rate - torque) / 0.05

    mech = arm()
    mech.motor("it", "A", ct.Law(lagging, states={"torque": 0.0}))
    return Example(mech)


def sampled_law() -> Example:
    mech = arm()
    mech.motor("it", "A", ct.Law(lambda angle, rate: 3.0 + 8.0 * (0.3 - angle) - rate, period=0.05))
    return Example(mech)


def joint_inertia() -> Example:
    mech = arm()
    mech.joint_inertia("it", "A", 1e-5, ratio=100.0)
    return Example(mech)


def friction() -> Example:
    mech = arm()
    mech.friction("A", coulomb=0.5, static=0.8, stribeck=0.3, viscous=0.1, name="it")
    return Example(mech)


def loaded_friction() -> Example:
    mech = arm()
    mech.friction("A", coefficient=0.3, radius=0.05, name="it")
    return Example(mech)


def brake() -> Example:
    mech = arm()
    mech.brake("A", torque=4.0, at=0.02, name="it")
    return Example(mech)


def tyre() -> Example:
    mech = ct.Mechanism("quarter car")
    mech.body("carrier", 30.0, (0, 0, 0.29), (1, 1, 1), shape=ct.Box((0, 0, 0.5), (0.4, 0.2, 0.1)))
    mech.body("wheel", 2.0, (0, 0, 0.29), (0.07, 0.12, 0.07), shape=ct.Cylinder((0, -0.02, 0.29), (0, 0.02, 0.29), 0.2))
    mech.joint("travel", mech.ground, "carrier", ct.PlanarTranslation(normal=(0, 1, 0)))
    mech.joint("axle", "carrier", "wheel", ct.Revolute((0, 0, 0.29), (0, 1, 0)))
    mech.tyre("it", "wheel", radius=0.3, stiffness=2e4, friction=0.9, longitudinal=4e3, damping=0.5)
    mech.motor("engine", "axle", -12.0)
    return Example(mech, {"travel.vx": 3.0, "axle": 3.0 / 0.285})


def drag() -> Example:
    mech = ball()
    mech.drag("it", "ball", 0.05, wind=(1.0, 0.5, 0.0))
    return Example(mech, FLY)


def central_gravity() -> Example:
    mech = ball()
    mech.central_gravity("it", "ball", mu=5.0, center=(0, 0, 1))
    return Example(mech, FLY)


def drive() -> Example:
    mech = arm()
    mech.drive("it", "A", lambda t: 0.4 * np.sin(3.0 * t))
    return Example(mech, {"A": 1.2})


def limit() -> Example:
    mech = arm()
    mech.limit("A", lower=-0.5, restitution=0.2, name="it")
    return Example(mech, {"A": -12.0})


ELEMENTS: dict[str, Callable[[], Example]] = {
    made.__name__: made
    for made in (
        spring, joint_spring, joint_damper, nonlinear_spring, nonlinear_joint_spring, rope, bump_stop, force_between,
        actuator, cable, belt, bushing, force, torque, motor, motor_curve, pid, law, sampled_law, joint_inertia, friction,
        loaded_friction, brake, tyre, drag, central_gravity, drive, limit,
    )
}  # fmt: skip


def main(name: str | None = None, picture: str | None = None) -> None:
    for word in ELEMENTS if name is None else [name]:
        one = ELEMENTS[word]()
        run = ct.simulate(one.mech, one.t_end, v=one.v, rtol=1e-11, atol=1e-11)
        it = run.element("it")
        most = np.linalg.norm(np.atleast_2d(it.force.T).T, axis=-1).max()
        print(f"{word}: at most {most:.3f}, work {it.work[-1]:.3f} J, balance {np.abs(run.energy.balance).max():.0e} J")
        if picture is not None:
            run.picture(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
