"""Inputs of a stepper: torques along joints, and motors and loads of the mechanism whose values are numbers."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ModelError, StepError
from cotree.integrate.stepper.held import Held
from cotree.model.forces import UserFunction
from cotree.model.mechanism import Mechanism
from cotree.system.body_frames import first_places
from cotree.system.coordinate_terms import component_across
from cotree.system.elements import element_tables
from cotree.system.switched import places_of
from cotree.system.system import System

Array = NDArray[np.float64]
Motor = tuple[str, str | None, Any]  # joint, coordinate, torque


def refuse_tiny_steps(step: float, t: float) -> None:
    """Steps that the clock cannot tell."""
    if t + step - t < 0.5 * step or t + step - t > 1.5 * step:
        raise StepError(
            f"step is {step:g} s, too small for times near {t:g} s, which are resolved to {np.spacing(abs(t)):.1g} s only"
        )


def with_motors(system: System, motors: Mapping[str, Motor], other: Mapping[str, Held] | None = None) -> System:
    """The system with these motors beside its own, in the same coordinates; other: new values of its own motors and loads."""
    mech: Mechanism = copy.copy(system.mechanism)
    for name, (joint, coordinate, torque) in motors.items():
        mech.motor(name, joint, torque, coordinate)
    for name, value in (other or {}).items():
        if name in mech.loads:
            mech.loads[name] = replace(mech.loads[name], value=UserFunction(value, ("t",), 3))
        else:
            mech.joint_forces[name] = replace(mech.joint_forces[name], torque=UserFunction(value, ("t",), 1))
    return with_mechanism(system, mech)


def with_mechanism(system: System, mech: Mechanism) -> System:
    """The system with the forces of another mechanism that is the same otherwise."""
    mech = mech.snapshot()
    elements, slots = element_tables(
        mech, places_of(system), first_places(system.coordinate_names), system.dofs, first_places(system.cut_joints)
    )
    return replace(system, mechanism=mech, elements=elements, brake_slots=slots)


def joint_coordinates(system: System) -> dict[str, tuple[str, str | None]]:
    """(joint, coordinate or None) of all coordinates of joints along which a force can act, by name."""
    out: dict[str, tuple[str, str | None]] = {}
    for name, connection in system.mechanism.joints.items():
        for suffix in connection.joint.coordinate_names() if connection.joint.dof else ():
            coordinate = suffix.lstrip(".") or None
            if name not in system.cut_joints or _measurable(connection.joint, name, coordinate):
                out[name + suffix] = (name, coordinate)
    return out


def _measurable(joint: Any, name: str, coordinate: str | None) -> bool:
    """Whether a force along this coordinate of a cut joint is defined."""
    try:
        component_across(joint, name, coordinate, name, ModelError)
    except ModelError:
        return False
    return True


def input_name(coordinate: str) -> str:
    """Name of the motor by which a torque along a coordinate is set."""
    return f"{coordinate} torque"


def slots_of(system: System) -> dict[str, tuple[int, int]]:
    """(row of the values, how many numbers) of the motors and loads that are not functions, by name."""
    mech = system.mechanism
    varying = {row for row, _ in system.elements.functions}
    sizes = {name: 3 if name in mech.loads else 1 for name in mech.motors_and_loads}
    return {n: (row, sizes[n]) for row, n in enumerate(mech.motors_and_loads) if row not in varying}
