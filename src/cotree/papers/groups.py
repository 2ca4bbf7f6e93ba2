"""The two configuration spaces of [Lie] side by side: the same mechanism, start and steps, nothing stabilized."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate
from cotree.kinematics.jacobians import body_jacobian
from cotree.kinematics.poses import twists
from cotree.model.mechanism import Mechanism
from cotree.system.system import System

Array = NDArray[np.float64]
GROUPS = {"SE3": "SE(3)", "SO3xR3": "SO(3)×R³"}
COLOURS = {"SE(3)": "#0072B2", "SO(3)×R³": "#D55E00"}  # told apart by colour-blind readers too


def on_group(mech: Mechanism, group: str) -> tuple[System, Array]:
    """(system in absolute coordinates, its velocities) for a mechanism that starts in its reference assembly."""
    own, system = mech.compile(), mech.compile(coordinates="absolute", group=group)
    V = twists(own, np.asarray(mech.q_start), np.asarray(mech.v_start), "body")
    rows = [V[own.row_of(name)] for name in system.body_names]
    J = np.vstack([body_jacobian(system, system.q0, name) for name in system.body_names])
    return system, np.linalg.solve(J, np.concatenate(rows))


def run_on_groups(mech: Mechanism, t_end: float, step: float, output: int = 1001) -> dict[str, Run]:
    """{name of the group: run} by RK4 Munthe-Kaas with the constraints on accelerations only, as in the paper."""
    runs = {}
    for group, name in GROUPS.items():
        system, v = on_group(mech, group)
        runs[name] = simulate(system, t_end, v=v, method="rk4", step=step, stabilize="none", output=output)
    return runs


def gap(run: Run, joint: str) -> Array:
    """(k,): distance [m] between the points of a joint's two bodies that coincide in the reference assembly."""
    system = run.system
    given = system.mechanism.joints[joint]
    place: Any = given.joint
    point = np.array([*place.point, 1.0])
    then, now = run.poses()[0], run.poses()
    a, b = (system.row_of(body) for body in (given.parent, given.child))
    ends = [now[:, k] @ np.linalg.solve(then[k], point) for k in (a, b)]
    return np.asarray(np.linalg.norm((ends[1] - ends[0])[:, :3], axis=1))


def panels(times: Array, curves: Mapping[str, Array], label: str, width: float = 9.0) -> Any:
    """Figure of two panels a) and b), one for each group, as the paper has them."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(width, 3.2), layout="constrained")
    for ax, letter, (name, curve) in zip(axes, "ab", curves.items(), strict=True):
        ax.plot(times, curve, lw=1.0, color=COLOURS[name])
        ax.set(title=f"{letter}) {name}", xlabel="time [s]", ylabel=label)
        ax.ticklabel_format(axis="y", scilimits=(-2, 4))
        ax.grid(alpha=0.3)
    return figure


def said(values: Mapping[str, float], unit: str) -> str:
    """ "1.2e-15 m on SE(3) and 3.4e-6 m on SO(3)×R³"."""
    return " and ".join(f"{value:.1e} {unit} on {name}" for name, value in values.items())


def worst(curves: Mapping[str, Sequence[float] | Array]) -> dict[str, float]:
    """Largest size of each curve."""
    return {name: float(np.abs(curve).max()) for name, curve in curves.items()}
