"""Valid calls of the methods of Mechanism that add elements: tables, ropes, controllers, friction, blows, pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cotree as ct
from tools.calls.bench import T_END, Bench, Target, mixed, target


def elements(bench: Bench) -> list[Target]:
    """Each element with a short run of the mechanism that has it."""

    def then(method: str) -> Callable[..., Any]:
        def call(**given: Any) -> Any:
            mech = mixed()
            getattr(mech, method)(**given)
            return ct.simulate(mech, T_END, step=0.01, output=3, progress=False)

        return call

    def made(method: str, needed: str, **arguments: Any) -> Target:
        return target(f"Mechanism.{method}", then(method), needed, **arguments)

    zero, one = (0, 0, 0), (1, 0, 0)
    link = {"name": "n", "joint": "J1", "coordinate": None}
    ends = {"name": "n", "body_a": "b1", "point_a": zero, "body_b": "b3", "point_b": one}
    both = " ".join(ends)
    gains = {
        "target": 0.2, "kp": 2.0, "ki": 1.0, "kd": 0.1, "filter": 0.01, "limits": (-3.0, 3.0), "tracking": None,
        "period": None, "offset": 0.0,
    }  # fmt: skip
    table = [(-1.0, -2.0), (0.0, 0.0), (1.0, 2.0)]
    taut = {"stiffness": 10.0, "length": None, "damping": 0.1}
    law = {"function": lambda: lambda t, x: (1.0 - x, -x), "states": lambda: {"x": 0.1}, "period": None, "offset": 0.0}

    def controlled(**given: Any) -> Any:
        mech = mixed()
        mech.motor("law", "J1", ct.Law(**given))
        return ct.simulate(mech, T_END, step=0.01, output=3, progress=False)

    def by_pid(**given: Any) -> Any:
        mech = mixed()
        mech.motor("pid", "J1", ct.PID(**given))
        return ct.simulate(mech, T_END, step=0.01, output=3, progress=False)

    return [
        made("pid", "name joint target kp", **link, **gains),
        made("actuator", both + " target kp", **ends, **gains),
        target("PID", by_pid, "target kp", **gains),
        target("Law", controlled, "function states", **law),
        made(
            "belt", "name joint_a joint_b radius_a radius_b stiffness",
            name="n", joint_a="J1", joint_b="J3", radius_a=0.1, radius_b=0.2, stiffness=10.0, damping=0.1,
        ),
        made("breaks", "target force", target="J3", force=5.0, moment=None, name=None),
        made("rope", both + " stiffness", **ends, **taut, exponent=1.0),
        made("bump_stop", both + " stiffness", **ends, **taut, exponent=1.0),
        made("nonlinear_spring", both + " force", **ends, force=table, damping=None, length=None),
        made("nonlinear_joint_spring", "name joint torque", **link, torque=table, damping=None, rest=0.0),
        made("motor_curve", "name joint curve", **link, curve=table, throttle=1.0),
        made("joint_inertia", "name joint inertia", **link, inertia=0.1, ratio=2.0),
        made("force_between", both + " force", **ends, force=3.0),
        made(
            "cable", "name route stiffness",
            name="n", route=lambda: [("ground", (0, 0, 0)), ("b1", (1, 0, 0)), ("b3", (2, 0, 0))], **taut,
        ),
        made(
            "bushing", "name body_a body_b point stiffness",
            name="n", body_a="b1", body_b="b3", point=one, stiffness=10.0, damping=0.1, axes=None,
        ),
        made("drag", "name body coefficient", name="n", body="b1", coefficient=0.1, point=None, wind=one),
        made("central_gravity", "name body mu", name="n", body="b1", mu=0.1, center=(5, 5, 5)),
        made(
            "friction", "joint coulomb",
            joint="J1", coulomb=0.1, static=0.2, viscous=0.1, stribeck=0.05, coordinate=None, name=None,
        ),
        made("joint_impulse", "name joint impulse at", **link, impulse=0.1, at=0.01, when=None),
        made(
            "impulse", "name body impulse at",
            name="n", body="b1", impulse=one, point=None, moment=zero, frame="world", at=0.01, when=None,
        ),
        made(
            "clutch", "name joint_a joint_b at",
            name="n", joint_a="J1", joint_b="J3", ratio=1.0, at=0.01, when=None, until=None,
        ),
        made("floor", "", point=zero, normal=(0, 0, 1)),
        made("trace", "name body", name="n", body="b1", point=None, color=None),
        made("scenery", "shape", shape=lambda: ct.Rod((0, 0, 0), (1, 0, 0))),
        target("Mechanism.snapped", lambda **k: bench.mech.snapped(**k).compile(), "", tolerance=1e-5),
    ]  # fmt: skip
