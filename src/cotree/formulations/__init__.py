"""Constrained dynamics: one problem, several formulations."""

from cotree.formulations.actuation.inverse import ActuatorForces, actuator_forces
from cotree.formulations.choices import ODCA, Index1, ProjectedEquations, Voronets
from cotree.formulations.forward import forward_dynamics
from cotree.formulations.handles import HandleEquations, handle_equations
from cotree.formulations.joint_spaces import JointSpaces, joint_spaces
from cotree.formulations.lengths import ProjectionLengths, projection_lengths
from cotree.formulations.odca.plan_report import SystemPlan, assembly_plan
from cotree.formulations.reactions.constrained import ConstraintForce
from cotree.formulations.reactions.self_stress import SelfStress, self_stress
from cotree.formulations.reduced_equations import Reduced, reduced

__all__ = [
    "ODCA", "ActuatorForces", "ConstraintForce", "HandleEquations", "Index1", "JointSpaces", "ProjectedEquations",
    "ProjectionLengths", "Reduced", "SelfStress",
    "SystemPlan", "Voronets", "actuator_forces", "assembly_plan", "forward_dynamics", "handle_equations", "joint_spaces",
    "projection_lengths", "reduced", "self_stress",
]  # fmt: skip
