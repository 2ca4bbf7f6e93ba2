"""Valid calls of studies: singularities, assembly modes, equilibria, derivatives by parameters, fits, batches, FMUs."""

from __future__ import annotations

from typing import Any

import numpy as np

import cotree as ct
from tools.calls.bench import T_END, Bench, Target, target

MASS = "crank.mass"


def studies(bench: Bench) -> list[Target]:
    """Each study of the four-bar, as small as it can be."""
    at: dict[str, Any] = {"system": bench.system, "q": lambda: bench.q.copy()}
    moving = {**at, "v": lambda: bench.v.copy()}
    mechanism = {"mechanism_or_system": bench.mech}
    hanging = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    hanging.body("rod", mass=1.0, com=(0.1, -0.5, 0.0), inertia=(0.1, 0.1, 0.1))
    hanging.joint("A", hanging.ground, "rod", ct.Revolute((0, 0, 0), (0, 0, 1)))
    short = {"step": 0.005, "progress": False}
    batch = ct.BatchStepper(bench.system, 1e-3, count=2)

    def stepped(**given: Any) -> Any:
        stepper = ct.BatchStepper(**given)
        stepper.step(1)
        return stepper.q

    def many_steps(**given: Any) -> Any:
        batch.step(**given)
        return batch.q

    return [
        target(
            "assembly_modes",
            ct.assembly_modes,
            "mechanism_or_system fixed",
            **mechanism,
            fixed=lambda: {"A": 0.2},
            t=0.0,
            starts=5,
        ),
        target(
            "singularities",
            ct.singularities,
            "mechanism_or_system along",
            **mechanism,
            along=lambda: {"A": [0.0, 0.1, 0.2]},
            actuators=None,
            t=0.0,
        ),
        target("regularization", lambda **k: str(ct.regularization(**k)), "mechanism_or_system", **mechanism),
        target(
            "equilibrium", ct.equilibrium, "system", system=hanging, q=lambda: {"A": 0.1}, fixed=(), t=0.0, starts=1
        ),
        target(
            "steady_motion", ct.steady_motion, "system", system=hanging, q=lambda: {"A": 0.0}, v=None, fixed=(), t=0.0
        ),
        target(
            "inverse_kinematics",
            ct.inverse_kinematics,
            "system targets",
            **at,
            targets=lambda: {"A": 0.1},
            fixed=(),
            t=0.0,
            starts=1,
        ),
        target("joint_spaces", ct.theory.joint_spaces, "system q joint", **at, joint="A"),
        target("block_matrices", ct.theory.block_matrices, "system q", **moving),
        target("body_inertia", ct.theory.body_inertia, "mechanism_or_system body", **mechanism, body="crank"),
        target("energy_by_body", ct.theory.energy_by_body, "system q", **moving),
        target("momentum_by_body", ct.theory.momentum_by_body, "system q v", **moving, point=(0, 0, 0)),
        target("parameters", ct.parameters, "mechanism", mechanism=bench.mech),
        target(
            "with_parameters", ct.with_parameters, "mechanism values", mechanism=bench.mech, values=lambda: {MASS: 1.5}
        ),
        target(
            "parameter_derivatives", ct.parameter_derivatives, "system q", **moving, parameters=(MASS,), tau=None, t=0.0
        ),
        target(
            "sensitivities",
            lambda **k: ct.sensitivities(**k, **short),
            "mechanism_or_system t_end",
            **mechanism,
            t_end=T_END,
            q=None,
            v=None,
            parameters=(MASS,),
            start=(),
            outputs=None,
            times=None,
            way="forward",
        ),
        target(
            "fit",
            lambda **k: ct.fit(**k, **short),
            "mechanism t measured outputs parameters",
            mechanism=hanging,
            t=lambda: np.array([0.0, 0.01, 0.02]),
            measured=lambda: np.zeros((3, 1)),
            outputs=("A",),
            parameters=("rod.mass",),
            q=None,
            v=None,
            start=(),
            sigma=None,
            bounds=None,
        ),
        target(
            "optimize",
            ct.optimize,
            "mechanism objective parameters",
            mechanism=hanging,
            objective=lambda: lambda mech: (ct.parameters(mech)["rod.mass"] - 2.0) ** 2,
            parameters=("rod.mass",),
            bounds=None,
            constraints=(),
            tolerance=1e-6,
            most=3,
        ),
        target(
            "floquet",
            lambda **k: ct.floquet(**k, **short),
            "mechanism_or_system period",
            mechanism_or_system=hanging,
            period=0.02,
            q=None,
            v=None,
        ),
        target(
            "linearize_along", ct.linearize_along, "run", run=bench.run, times=lambda: [0.01], inputs=None, outputs=None
        ),
        target(
            "export_fmu",
            ct.export_fmu,
            "mech path",
            mech=hanging,
            path="x.fmu",
            inputs=(),
            outputs=(),
            step=0.01,
            method="rk4",
        ),
        target(
            "BatchStepper",
            stepped,
            "mechanism_or_system step count",
            mechanism_or_system=bench.system,
            step=0.005,
            count=2,
            method="rk4",
            q=None,
            v=None,
            inputs=None,
            formulation="auto",
            stabilize="auto",
        ),
        target("BatchStepper.step", many_steps, "n", n=1),
        target("BatchStepper.reset", batch.reset, "", q=lambda: np.tile(bench.q, (2, 1)), v=None),
        target("Run.picture", bench.run.picture, "path", path="p.png", t=0.01, size=(80, 60), arrows=None),
        target("Mechanism.picture", bench.mech.picture, "path", path="m.png", q=None, size=(80, 60)),
        target("Run.movie", bench.run.movie, "path", path="m.gif", fps=25.0, speed=1.0, size=(80, 60), arrows=None),
    ]
