"""Objects of the papers: for who reads them beside the code, not needed to simulate.

`ct.theory.christoffel(system, q)` and the others; [Geo], [Lie], [Reg] and [DCA] are listed in docs/references.md. Names are
loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cotree.constraints import constraint_jacobian_rate as constraint_jacobian_rate
    from cotree.constraints import constraint_rate as constraint_rate
    from cotree.constraints import is_holonomic as is_holonomic
    from cotree.constraints import motion_algebra as motion_algebra
    from cotree.constraints import object_of_nonholonomy as object_of_nonholonomy
    from cotree.constraints.joint_gaps import joint_gaps as joint_gaps
    from cotree.derivatives import inverse_dynamics_second_derivatives as inverse_dynamics_second_derivatives
    from cotree.dynamics import block_matrices as block_matrices
    from cotree.dynamics import body_inertia as body_inertia
    from cotree.dynamics import coriolis_matrix as coriolis_matrix
    from cotree.dynamics import energy_by_body as energy_by_body
    from cotree.dynamics import momentum_by_body as momentum_by_body
    from cotree.dynamics.christoffel import christoffel as christoffel
    from cotree.formulations import assembly_plan as assembly_plan
    from cotree.formulations import handle_equations as handle_equations
    from cotree.formulations import projection_lengths as projection_lengths
    from cotree.formulations import reduced as reduced
    from cotree.formulations.joint_spaces import joint_spaces as joint_spaces
    from cotree.kinematics import coordinate_rates as coordinate_rates
    from cotree.kinematics import jacobian_partials as jacobian_partials
    from cotree.kinematics import jacobian_second_partials as jacobian_second_partials

MODULES = {
    "cotree.kinematics": ("coordinate_rates", "jacobian_partials", "jacobian_second_partials"),
    "cotree.constraints": (
        "constraint_jacobian_rate", "constraint_rate", "is_holonomic", "joint_gaps", "motion_algebra", "object_of_nonholonomy",
    ),
    "cotree.dynamics": (
        "block_matrices", "body_inertia", "christoffel", "coriolis_matrix", "energy_by_body", "momentum_by_body",
    ),
    "cotree.formulations": (
        "assembly_plan", "handle_equations", "joint_spaces", "projection_lengths", "reduced",
    ),
    "cotree.derivatives": ("inverse_dynamics_second_derivatives",),
}  # fmt: skip
HOME = {name: module for module, names in MODULES.items() for name in names}

__all__ = sorted(HOME)


def __getattr__(name: str) -> Any:
    if name not in HOME:
        from cotree._suggested import missing

        raise missing("module 'cotree.theory'", name, __all__, {})
    value = getattr(import_module(HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
