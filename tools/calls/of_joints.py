"""Joints and shapes, put to use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cotree as ct
from tools.calls.bench import Bench, Target, target


def joints(bench: Bench) -> list[Target]:
    """Joints and shapes, put to use."""

    def used(kind: Any) -> Callable[..., Any]:
        def use(**given: Any) -> Any:
            mech = ct.Mechanism("one")
            mech.body("b", mass=1.0, com=(1, 2, 3), inertia=(1, 1, 1))
            mech.joint("J", mech.ground, "b", kind(**given))
            system = mech.compile()
            return ct.forward_dynamics(system, system.q0).v_dot

        return use

    def weighed(kind: Any) -> Callable[..., Any]:
        return lambda **given: kind(**given).mass_properties(1000.0)

    point, axis, zero = (0, 0, 0), (0, 0, 1), (0.0, 0.0, 0.0)
    frames = {"coordinates": "auto"}
    both = {"frame_parent": lambda: np.eye(4), "frame_child": lambda: np.eye(4), "coordinates": "auto"}
    return [
        *(
            target(k, used(getattr(ct, k)), "", point=point, axis=axis, **frames)
            for k in ("Revolute", "Prismatic", "Cylindrical", "Schoenflies")
        ),
        *(
            target(k, used(getattr(ct, k)), "frame_parent frame_child", **both)
            for k in ("Revolute", "Spherical", "Free", "Translation", "Universal")
        ),
        target("Helical", used(ct.Helical), "", point=point, axis=axis, pitch=0.1, **frames),
        target("Planar", used(ct.Planar), "", point=point, normal=axis, x_axis=(1, 0, 0), **frames),
        target("PlanarTranslation", used(ct.PlanarTranslation), "", normal=axis, x_axis=(1, 0, 0), **frames),
        target("Spherical", used(ct.Spherical), "", point=point, **frames),
        target("Universal", used(ct.Universal), "", point=point, axis1=(1, 0, 0), axis2=(0, 1, 0), **frames),
        target("Free", used(ct.Free), "", **frames),
        target("Rod", weighed(ct.Rod), "a b radius", a=zero, b=(1, 0, 0), radius=0.02),
        target("Cylinder", weighed(ct.Cylinder), "a b radius", a=zero, b=(1, 0, 0), radius=0.02),
        target("Sphere", weighed(ct.Sphere), "center radius", center=zero, radius=0.1),
        target("Box", weighed(ct.Box), "center size", center=zero, size=(1, 1, 1), rotation=None),
        target("Mesh", ct.Mesh, "path", path="m.stl", scale=1.0, pose=None),
    ]
