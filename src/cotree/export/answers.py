"""What the package computes for a mechanism, stored beside its library for the comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cotree.dynamics import energy, inverse_dynamics, mass_matrix
from cotree.errors import StepError
from cotree.export.preparing import Model
from cotree.integrate.stepper.stepper import Stepper
from cotree.kinematics.poses import poses
from cotree.system.system import System

STEPS, DRIVEN = 100, 50  # compared: so few that rounding errors are not magnified
TOLERANCE = 1e-9  # of the largest number of each kind, and of 1


def answers(model: Model) -> str:
    """A header with arrays of numbers."""
    stepper = model.stepper.copy()
    system, q, v = stepper.system, stepper.q, stepper.v
    a = stepper.v_dot
    start = _inputs(stepper, model)
    e = energy(system, q, v)
    told: dict[str, Any] = {
        "a": a, "force": inverse_dynamics(system, q, v, a, **_of_tree(system)), "mass": mass_matrix(system, q),
        "poses": poses_of(system, q), "energy": (e.kinetic, e.potential), "start": start,
    }  # fmt: skip
    steps = _advance(stepper, STEPS)
    told |= {"q": stepper.q, "v": stepper.v}
    driven = 0
    for i in range(DRIVEN):
        set_inputs(stepper, model, [x + 0.1 * np.sin(0.01 * i + k) for k, x in enumerate(start)])
        if not _advance(stepper, 1):
            break
        driven += 1
    told["driven"] = stepper.q
    lines = ["/* Made by Cotree: what the package computes. */"]
    lines += [f"#define CT_STEP {model.stepper.step_size!r}", f"#define CT_CHECK_TOLERANCE {TOLERANCE!r}"]
    lines += [f"enum {{ CT_CHECK_STEPS = {steps}, CT_CHECK_DRIVEN = {driven} }};"]
    return "\n".join([*lines, *(_array(name, np.ravel(x)) for name, x in told.items())]) + "\n"


def poses_of(system: System, q: Any) -> Any:
    """(n_bodies + 1, 12): rotation by rows and position, as exported code gives them."""
    X = poses(system, q)
    return np.hstack([X[:, :3, :3].reshape(-1, 9), X[:, :3, 3]])


def _of_tree(system: System) -> dict[str, bool]:
    """Where loops are opened, that is what is meant."""
    return {"tree": True} if system.n_constraints else {}


def _advance(stepper: Stepper, most: int) -> int:
    """So many steps, or those that go well."""
    for k in range(most):
        try:
            stepper.step()
        except StepError:
            return k
    return most


def _inputs(stepper: Stepper, model: Model) -> list[float]:
    values, where = stepper._driver.state.kept["values"], _slots(stepper, model)
    return [float(values[row, k]) for row, k in where]


def _slots(stepper: Stepper, model: Model) -> list[tuple[int, int]]:
    """(row, column) of each input among the values."""
    out = []
    for name, _ in model.inputs:
        owner, _, axis = name.rpartition(".")
        single = name in stepper.inputs
        row, _ = stepper._slot(name if single else owner)
        out.append((row, 0 if single else "xyz".index(axis)))
    return out


def set_inputs(stepper: Stepper, model: Model, values: Iterable[float]) -> None:
    """Set all inputs, in the order of the model."""
    given: dict[str, Any] = {}
    for (name, _), (_, axis), value in zip(model.inputs, _slots(stepper, model), values, strict=True):
        if name in stepper.inputs:
            given[name] = float(value)
        else:
            given.setdefault(name.rpartition(".")[0], [0.0, 0.0, 0.0])[axis] = float(value)
    stepper.set(torque=given)


def _array(name: str, numbers: Any) -> str:
    given = [f"{float(x)!r}" for x in numbers] or ["0.0"]
    rows = [", ".join(given[k : k + 6]) for k in range(0, len(given), 6)]
    return f"static const double answer_{name}[] = {{\n    " + ",\n    ".join(rows) + "};"
