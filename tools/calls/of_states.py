"""Valid calls of functions of a system and a state."""

from __future__ import annotations

import numpy as np

import cotree as ct
from tools.calls.bench import Bench, Target, target


def state_functions(bench: Bench) -> list[Target]:
    """Functions of a system and a state."""
    at = {"system": bench.system, "q": lambda: bench.q.copy()}
    moving = {**at, "v": lambda: bench.v.copy()}
    out = [
        target(
            "accelerations", ct.accelerations, "system q v v_dot", **moving, v_dot=lambda: bench.v.copy(), frame="body"
        ),
        target(
            "actuator_forces",
            ct.actuator_forces,
            "system q actuators",
            **moving,
            v_dot=None,
            actuators=lambda: ["A"],
            t=0.0,
            least_squares=False,
            weights=None,
            bias=None,
        ),
        target("assemble", ct.assemble, "system q", **at, fixed=lambda: ["A"], t=0.0, restarts=2),
        target("assembly_plan", ct.theory.assembly_plan, "mechanism_or_system", mechanism_or_system=bench.system),
        target("christoffel", ct.theory.christoffel, "system q", **at, form="brackets"),
        target("consistent_velocity", ct.consistent_velocity, "system q v", **moving, t=0.0, branches="nearest"),
        target("constraint_bias", ct.constraint_bias, "system q v", **moving, t=0.0, regularized=True),
        target("constraint_jacobian_rate", ct.theory.constraint_jacobian_rate, "system q v", **moving, t=0.0),
        target("displace", ct.displace, "system q step", **at, step=lambda: bench.v.copy()),
        target(
            "forward_dynamics",
            ct.forward_dynamics,
            "system q",
            **moving,
            tau=lambda: np.zeros(3),
            formulation="auto",
            t=0.0,
        ),
        target(
            "handle_equations",
            ct.theory.handle_equations,
            "system q v bodies",
            **moving,
            bodies=lambda: ["crank"],
            tau=None,
            t=0.0,
        ),
        target(
            "forward_dynamics_derivatives",
            ct.forward_dynamics_derivatives,
            "system q",
            **moving,
            tau=lambda: np.zeros(3),
            t=0.0,
        ),
        target(
            "inverse_dynamics_derivatives",
            ct.inverse_dynamics_derivatives,
            "system q",
            **moving,
            a=lambda: bench.v.copy(),
            t=0.0,
        ),
        target("energy_derivatives", ct.energy_derivatives, "system q", **moving),
        target(
            "reading_derivatives",
            ct.reading_derivatives,
            "system q reading",
            **moving,
            reading=lambda: lambda s: s.joint("A").rate,
            t=0.0,
            parameters=lambda: ["crank.mass"],
        ),
        target(
            "inverse_dynamics_second_derivatives",
            ct.theory.inverse_dynamics_second_derivatives,
            "system q",
            **moving,
            a=lambda: bench.v.copy(),
            t=0.0,
        ),
        target("linearize", ct.linearize, "system", **moving, inputs=lambda: ["A"], outputs=lambda: ["A"], t=0.0),
        target("inverse_dynamics", ct.inverse_dynamics, "system q", **moving, v_dot=lambda: bench.v.copy(), t=0.0),
        target("is_holonomic", ct.theory.is_holonomic, "system q", **at, t=0.0, tolerance=1e-6),
        target("jacobian_derivative", ct.jacobian_derivative, "system q v body", **moving, body="crank", frame="body"),
        target(
            "mobility",
            ct.mobility,
            "mechanism_or_system",
            mechanism_or_system=bench.system,
            q=lambda: bench.q.copy(),
            t=0.0,
            tolerance=1e-5,
        ),
        target(
            "motion_algebra",
            ct.theory.motion_algebra,
            "mechanism_or_system body",
            mechanism_or_system=bench.system,
            body="crank",
            relative_to="ground",
        ),
        target("self_stress", ct.self_stress, "system", **at, t=0.0),
        target("momentum", ct.momentum, "system q v", **moving, point=(0, 0, 0)),
        target("object_of_nonholonomy", ct.theory.object_of_nonholonomy, "system q", **at, t=0.0, basis=None),
        target("projection_lengths", ct.theory.projection_lengths, "system q", **at, level="velocity", t=0.0),
        target("reduced", ct.theory.reduced, "system q", **moving, independent=lambda: ["A"], t=0.0),
        target("redundant_rows", ct.redundant_rows, "system q", **at, t=0.0),
        target(
            "transition",
            ct.transition,
            "system q v",
            **moving,
            activate=(),
            form="general",
            t=0.0,
            deactivate=(),
            impulse=None,
        ),
        target("twists", ct.twists, "system q v", **moving, frame="body"),
    ]
    out += [target(f, getattr(ct, f), "system q", **at) for f in ("poses", "mass_matrix", "normalize")]
    out += [target(f, getattr(ct.theory, f), "system q v", **moving) for f in ("coordinate_rates", "coriolis_matrix")]
    out += [target(f, getattr(ct, f), "system q", **moving) for f in ("energy", "center_of_mass")]
    out += [
        target(f, getattr(ct, f), "system q body", **at, body="crank") for f in ("body_jacobian", "spatial_jacobian")
    ]
    out += [
        target(f, getattr(ct, f), "system q body", **at, body="crank", frame="body")
        for f in ("jacobian_partials", "jacobian_second_partials")
    ]
    out += [
        target(f, getattr(ct, f), "system q", **at, t=0.0, regularized=True)
        for f in ("constraint_jacobian", "constraint_rate", "constraint_residual")
    ]
    return out
