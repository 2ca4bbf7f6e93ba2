"""Each program with the settings that suit it best, found by trying: what its users would arrive at."""

from __future__ import annotations

import importlib.util
import time
from typing import Any

import numpy as np

import cotree as ct
from benchmarks.peers.cases import T_END, TIMES, Case, States, cotree_states
from benchmarks.peers.contest import Contestant, Trial

OUTPUTS = len(TIMES) - 1


def cotree(case: Case, system: ct.System, start: States) -> Contestant:
    """Adaptive Dormand-Prince of order 5 (the default) and 8, with projection; the fineness is 1 / tolerance. For the heavy
    top order 8 with fixed steps too."""
    v = case.velocities(system)

    def run(**options: Any) -> tuple[float, States | None]:
        begin = time.perf_counter()
        found = ct.simulate(system, T_END, v=v, output=TIMES, **options)
        seconds = time.perf_counter() - begin
        return seconds, cotree_states(system, found) if found.status == "done" else None

    def at(fineness: float) -> list[Trial]:
        tolerance = {"rtol": 1 / fineness, "atol": 1 / fineness}
        trials = [
            Trial("Cotree", f"{method}, tolerance {1 / fineness:.0e}", lambda m=method: run(method=m, **tolerance))
            for method in ("dopri5", "dop853")
        ]
        if not system.n_loops:  # a steady motion, for which the others' steps are fixed too
            steps = OUTPUTS * int(np.ceil(7.4 * (fineness / 1e6) ** 0.125))
            setting = f"dop853, step {T_END / steps:.1e}"
            trials.append(Trial("Cotree", setting, lambda: run(method="dop853", step=T_END / steps)))
        return trials

    return Contestant("Cotree", Trial("Cotree", "as it comes (1e-8)", run), at, 1e6, 1e12, 1.0)


def exudyn(case: Case, system: ct.System, start: States) -> Contestant:
    """Generalized-alpha (index 3, its default), in the plane the trapezoidal rule (index 2) too, which in space goes astray;
    for the heavy top the explicit Lie-group method of order 6."""
    from benchmarks.peers.exudyn_models import ExudynModel

    mech = system.mechanism
    model, free = ExudynModel(mech, start), ExudynModel(mech, start, explicit=True) if not system.n_loops else None

    def trial(which: Any, solver: str, steps: int, setting: str) -> Trial:
        return Trial("Exudyn", setting, lambda: which.run(which.settings(solver, steps)))

    def at(fineness: float) -> list[Trial]:
        steps = OUTPUTS * round(fineness / OUTPUTS)
        which, solvers = (
            (free, ("rk67",)) if free else (model, ("alpha", "trapezoidal") if model.planar else ("alpha",))
        )
        return [trial(which, solver, steps, f"{solver}, step {T_END / steps:.1e}") for solver in solvers]

    first = trial(model, "alpha", 1000, "as it comes (alpha, 1e-2)")
    return Contestant("Exudyn", first, at, 1000, 1e7, 2.0 if free is None else 6.0)


def mujoco(case: Case, system: ct.System, start: States) -> Contestant:
    """RK4; loops as stiff as they go: time constants of two steps (its documented floor) or, beyond that, of half a step."""
    from benchmarks.peers.mujoco_models import MujocoModel

    mech = system.mechanism
    stiff = MujocoModel(mech, start)

    def run(steps: int, constant: float) -> tuple[float, States]:
        stiff.set_stiff(T_END / steps, constant)
        return stiff.run(steps // OUTPUTS)

    def at(fineness: float) -> list[Trial]:
        steps = OUTPUTS * round(fineness / OUTPUTS)
        constants = (2.0, 0.5) if stiff.tree.cuts else (2.0,)
        name = f"RK4, step {T_END / steps:.1e}"
        if not stiff.tree.cuts:
            return [Trial("MuJoCo", name, lambda: run(steps, 2.0))]
        return [Trial("MuJoCo", f"{name}, solref {c:g} h", lambda c=c: run(steps, c)) for c in constants]  # type: ignore[misc]

    plain = MujocoModel(mech, start)
    first = Trial("MuJoCo", "as it comes (Euler, 2e-3)", lambda: plain.run(50))
    return Contestant("MuJoCo", first, at, 1000, 1e7, 2.0 if stiff.tree.cuts else 4.0)


def pinocchio(case: Case, system: ct.System, start: States) -> Contestant:
    """RK4 in Python around `constraintDynamics`, Baumgarte's correction as fast as RK4 stands, at most 100 per second.

    Without the correction it fails at singular configurations. Bricard's rows are dependent only as far as the loop is closed:
    a large proximal parameter with many iterations is the only one found under which it moves rightly.
    """
    from benchmarks.peers.pinocchio_models import PinocchioModel

    mu = 0.1 if case.name.startswith("Bricard") else 1e-10

    def run(steps: int) -> tuple[float, States]:
        model = PinocchioModel(system.mechanism, start, stiffness=min(100.0, steps / T_END), mu=mu)
        return model.run(steps // OUTPUTS)

    def at(fineness: float) -> list[Trial]:
        steps = OUTPUTS * round(fineness / OUTPUTS)
        return [Trial("Pinocchio", f"RK4, step {T_END / steps:.1e}, mu {mu:g}", lambda: run(steps))]

    return Contestant("Pinocchio", None, at, 200, 1e7, 4.0)


ALL = {"cotree": cotree, "exudyn": exudyn, "mujoco": mujoco, "pinocchio": pinocchio}


def installed() -> list[str]:
    return [name for name in ALL if importlib.util.find_spec(name) is not None]


def start_differences(case: Case, system: ct.System, start: States) -> dict[str, tuple[float, float]]:
    """By program: differences of the energy (relative) and of the accelerations (relative) at the start from Cotree's."""
    from benchmarks.peers.tree import joint_rates, spanning_tree

    mech, v = system.mechanism, case.velocities(system)
    v = np.zeros(system.nv) if v is None else v
    a = ct.accelerations(system, system.q0, v, ct.forward_dynamics(system, system.q0, v).v_dot, "spatial")[:, :3]
    by_body = {"ground": np.zeros(3), **{name: a[system.body_names.index(name) + 1] for name in mech.bodies}}
    of_joints = np.concatenate(joint_rates(mech, spanning_tree(mech), by_body))
    ours, energy = np.array([by_body[name] for name in mech.bodies]), ct.energy(system, system.q0, v).total
    found = {}
    for name in installed():
        if name == "exudyn":
            from benchmarks.peers.exudyn_models import ExudynModel

            model = ExudynModel(mech, start)
            accelerations = model.start_accelerations() - ours
            first = model.states().energy(mech)[0]
        elif name in ("mujoco", "pinocchio"):
            if name == "mujoco":
                from benchmarks.peers.mujoco_models import MujocoModel as Model

                model = Model(mech, start)
                model.set_stiff(1e-3)
            else:
                from benchmarks.peers.pinocchio_models import PinocchioModel as Model

                model = Model(mech, start)
            accelerations = np.concatenate(model.start_accelerations()) - of_joints
            first = model.states(model.start()).energy(mech)[0]
        else:
            accelerations, first = np.zeros(1), start.energy(mech)[0]
        scale = max(1.0, float(np.abs(ours).max()))
        found[name] = (abs(first - energy) / max(1.0, abs(energy)), float(np.abs(accelerations).max()) / scale)
    return found
