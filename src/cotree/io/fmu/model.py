"""What a functional mock-up unit of a mechanism computes: steps of a `Stepper`, with inputs and outputs by name."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cotree.errors import UnknownNameError
from cotree.io.model_file import load
from cotree.model.checks import shown
from cotree.model.mechanism import nearest

if TYPE_CHECKING:
    from cotree.integrate import Stepper

MECHANISM, INTERFACE = "mechanism.json", "interface.json"
OF_JOINTS, OF_ELEMENTS = ("angle", "rate", "acceleration"), ("force", "power")


class UnitModel:
    """The mechanism in a folder, at its start."""

    def __init__(self, folder: Path) -> None:
        from cotree.integrate import Stepper

        told = json.loads((folder / INTERFACE).read_text(encoding="utf-8"))
        self.step_size = float(told["step"])
        self.outputs: tuple[str, ...] = tuple(told["outputs"])
        self.inputs: dict[str, float] = dict.fromkeys(told["inputs"], 0.0)
        self.stepper = Stepper(load(folder / MECHANISM), step=self.step_size, method=told["method"], record=False)
        self.stepper.set(torque=self.inputs)

    def begin(self, t: float) -> None:
        """Start at a time."""
        self.stepper.reset(t=t)
        self.stepper.set(torque=self.inputs)

    def put(self, name: str, value: float) -> None:
        """Set an input from now on."""
        self.inputs[name] = float(value)
        self.stepper.set(torque={name: float(value)})

    def get(self, name: str) -> float:
        """An output now."""
        return float(reading(self.stepper, name))

    def advance(self, size: float) -> bool:
        """As many equal steps, no longer than the unit's own, as a communication step takes."""
        count = max(1, math.ceil(size / self.step_size - 1e-9))
        self.stepper.step_size = size / count
        self.stepper.step(count)
        return True


def reading(stepper: Stepper, name: Any) -> Any:
    """An output by its name: joint.angle, .rate, .acceleration; element.force, .power; or a state of a law."""
    system = stepper.system
    if isinstance(name, str) and name in system.state_names:
        return stepper.state(name)
    owner, _, quantity = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if owner in system.joint_names and quantity in OF_JOINTS:
        return getattr(stepper.joint(owner), quantity)
    mech = system.mechanism
    if owner in (*mech.springs, *mech.joint_forces, *mech.elements) and quantity in OF_ELEMENTS:
        return getattr(stepper.element(owner), quantity)
    known = [f"{joint}.{q}" for joint in system.joint_names for q in OF_JOINTS] + list(system.state_names)
    raise UnknownNameError(
        f"no output {shown(name)} of system {system.name!r}{nearest(name, known)}; name joint.angle, .rate or .acceleration, "
        "element.force or .power, or a state of a law"
    )
