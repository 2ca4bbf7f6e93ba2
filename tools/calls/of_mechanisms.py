"""Valid calls of the methods of Mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cotree as ct
from tools.calls.bench import T_END, Bench, Target, mixed, target


def mechanism_methods(bench: Bench) -> list[Target]:
    """Methods of Mechanism, each with the system and a short run that come of it."""

    def then(method: str, runs: bool = True) -> Callable[..., Any]:
        def call(**given: Any) -> Any:
            mech = mixed()
            if method in ("activate", "deactivate"):
                mech.gear("gear", "J1", "J3", 1.0)
            if method == "unlock":
                mech.lock("J1", at=0.005)
            getattr(mech, method)(**given)
            mech.compile()
            return ct.simulate(mech, T_END, step=0.01, output=3, progress=False) if runs else None

        return call

    zero, one = (0, 0, 0), (1, 0, 0)
    switched = {"at": 0.01, "when": None}
    held = {**switched, "until": None, "coordinate": None, "name": None}
    link = {"name": "n", "joint": "J1"}
    ends = {"name": "n", "body_a": "b1", "point_a": zero, "body_b": "b3", "point_b": one}
    return [
        target("Mechanism", ct.Mechanism, "", name="x", gravity=(0, 0, -9.81)),
        target(
            "Mechanism.body",
            lambda **k: mixed().body(**k),
            "name mass com inertia",
            name="x",
            mass=1.0,
            com=zero,
            inertia=(1, 1, 1),
            pose=None,
            shape=lambda: ct.Rod((0, 0, 0), (1, 0, 0)),
        ),
        target(
            "Mechanism.body",
            lambda **k: mixed().body(**k),
            "name shape density",
            name="x",
            shape=lambda: ct.Rod((0, 0, 0), (1, 0, 0), 0.1),
            density=1000.0,
        ),
        target(
            "Mechanism.joint",
            then("joint"),
            "name parent child joint",
            name="x",
            parent="b1",
            child="b4",
            joint=lambda: ct.Free(),
        ),
        target(
            "Mechanism.spring",
            then("spring"),
            " ".join([*ends, "stiffness"]),
            **ends,
            stiffness=10.0,
            length=None,
            damping=1.0,
        ),
        target("Mechanism.distance", then("distance"), " ".join(ends), **ends, length=None),
        target(
            "Mechanism.force",
            then("force"),
            "name body force",
            name="n",
            body="b1",
            force=one,
            point=None,
            frame="world",
        ),
        target("Mechanism.torque", then("torque"), "name body moment", name="n", body="b1", moment=one, frame="world"),
        target(
            "Mechanism.joint_spring",
            then("joint_spring"),
            "name joint stiffness",
            **link,
            stiffness=1.0,
            rest=0.0,
            coordinate=None,
        ),
        target(
            "Mechanism.joint_damper", then("joint_damper"), "name joint damping", **link, damping=1.0, coordinate=None
        ),
        target("Mechanism.motor", then("motor"), "name joint torque", **link, torque=1.0, coordinate=None),
        target(
            "Mechanism.drive",
            then("drive"),
            "name joint motion",
            **link,
            motion=lambda: lambda t: 0.1 * t,
            coordinate=None,
            rate=None,
            acceleration=None,
        ),
        target(
            "Mechanism.gear",
            then("gear"),
            "name joint_a joint_b ratio",
            name="n",
            joint_a="J1",
            joint_b="J3",
            ratio=2.0,
        ),
        target(
            "Mechanism.coupling",
            then("coupling"),
            "name ratios",
            name="n",
            ratios=lambda: {"J1": 1.0, "J3": -1.0},
            offset=0.0,
        ),
        target(
            "Mechanism.knife_edge",
            then("knife_edge"),
            "name body point direction",
            name="n",
            body="b1",
            point=zero,
            direction=one,
        ),
        target(
            "Mechanism.conserve",
            then("conserve"),
            "name quantity axis value",
            name="n",
            quantity="linear momentum",
            axis=one,
            value=0.5,
        ),
        target(
            "Mechanism.rolling",
            then("rolling"),
            "name body center radius",
            name="n",
            body="b1",
            center=(0.5, 0.1, 0),
            radius=0.5,
            axis=None,
            plane_point=(0, 0, -0.5),
            plane_normal=(0, 0, 1),
            surface="ground",
        ),
        target(
            "Mechanism.constraint",
            then("constraint"),
            "name jacobian",
            name="n",
            jacobian=lambda: lambda q: [[1.0, *[0.0] * 6]],
            residual=None,
            rate=None,
            bias=None,
            rows=1,
        ),
        target("Mechanism.lock", then("lock"), "joint", joint="J1", **held),
        target("Mechanism.brake", then("brake"), "joint torque", joint="J1", torque=1.0, static_ratio=1.0, **held),
        target(
            "Mechanism.limit",
            then("limit"),
            "joint lower",
            joint="J1",
            lower=-3.0,
            upper=3.0,
            restitution=0.5,
            coordinate=None,
            name=None,
        ),
        target(
            "Mechanism.dock",
            then("dock"),
            "name parent child joint",
            name="n",
            parent="ground",
            child="b4",
            joint=lambda: ct.Free(),
            within=1e-3,
            until=None,
            **switched,
        ),
        target("Mechanism.activate", then("activate"), "constraint at", constraint="gear", **switched),
        target("Mechanism.deactivate", then("deactivate"), "target at", target="gear", **switched),
        target("Mechanism.unlock", then("unlock"), "target at", target="J1", **switched),
        target(
            "Mechanism.compile",
            lambda **k: ct.gallery.four_bar().compile(**k),
            "",
            coordinates="relative",
            group="SE3",
            cut=lambda: ["C"],
            regularize=True,
        ),
        target(
            "Mechanism.view",
            lambda **k: bench.mech.view(**{**k, "open": False, "wait": False}).close(),
            "",
            q=lambda: bench.q.copy(),
            port=None,
        ),
    ]
