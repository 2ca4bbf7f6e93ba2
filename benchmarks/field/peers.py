"""The same problems by Exudyn and MuJoCo, at settings from coarse to fine: error against our solution, and seconds."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cotree as ct
from benchmarks.field.problem import Problem
from benchmarks.field.solving import distance
from benchmarks.peers.cases import States, cotree_states

Array = NDArray[np.float64]
Attempt = tuple[str, Callable[[], tuple[float, States | None]]]
KINDS = (ct.Revolute, ct.Spherical, ct.Prismatic)
STEPS = (500, 2000, 8000, 32_000)
PATIENCE = 20.0  # seconds; a finer setting is not tried where a coarser one took longer than a fourth of it


def can(problem: Problem, tool: str) -> bool:
    """Whether the peer's model here has all joints of the problem, no driver, and bodies that the peer takes."""
    mech = problem.make()
    joints = all(isinstance(j.joint, KINDS) for j in mech.joints.values())
    light = any(not b.properties.inertia.any() for b in mech.bodies.values())  # MuJoCo takes no point masses
    extras = any(f.torque is None for f in mech.joint_forces.values())  # rotors, springs and dampers of joints
    return joints and not mech.constraints and not (light and tool == "mujoco") and not (extras and tool == "exudyn")


def exudyn(problem: Problem, start: States) -> Iterator[Attempt]:
    from benchmarks.peers.exudyn_models import ExudynModel

    model = ExudynModel(problem.make(), start, times=problem.times)
    for steps in STEPS:
        for solver in ("alpha", "trapezoidal") if model.planar else ("alpha",):
            settings = model.settings(solver, steps)
            yield f"{solver}, step {problem.t_end / steps:.1e} s", lambda s=settings: model.run(s)  # type: ignore[misc]


def mujoco(problem: Problem, start: States) -> Iterator[Attempt]:
    from benchmarks.peers.mujoco_models import MujocoModel

    model = MujocoModel(problem.make(), start, times=problem.times)
    outputs = problem.rows - 1
    for steps in STEPS:
        each = max(1, round(steps / outputs))
        step = problem.t_end / (outputs * each)
        model.set_stiff(step)
        yield f"RK4, step {step:.1e} s", lambda n=each: model.run(n)  # type: ignore[misc]


PROGRAMS = {"exudyn": exudyn, "mujoco": mujoco}


def beside(problem: Problem, reference: Array) -> list[dict[str, Any]]:
    """What the programs that are installed and have all joints come to; None as the error where they gave up."""
    run = problem.simulate(rtol=1e-8, atol=1e-8)
    start, mech, found = cotree_states(run.system, run), problem.make(), list[dict[str, Any]]()
    for tool, attempts in PROGRAMS.items():
        if importlib.util.find_spec(tool) is None or not can(problem, tool):
            continue
        for setting, attempt in attempts(problem, start):
            with np.errstate(all="ignore"):
                seconds, states = attempt()
                good = states is not None and len(states.c) == problem.rows and bool(np.isfinite(states.c).all())
                error = None
                if good and states is not None:
                    error = distance(states.points(mech, problem.points).reshape(problem.rows, -1), reference)
            found.append({"tool": tool, "setting": setting, "error": error, "seconds": seconds})
            if seconds > PATIENCE / 4:
                break
    return found
