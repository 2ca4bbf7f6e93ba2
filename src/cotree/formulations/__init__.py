"""Constrained dynamics: one problem, several formulations."""

from cotree.formulations.actuation.inverse import ActuatorForces, actuator_forces
from cotree.formulations.forward import forward_dynamics
from cotree.formulations.odca.plan_report import SystemPlan, assembly_plan
from cotree.formulations.reactions.constrained import ConstraintForce

__all__ = ["ActuatorForces", "ConstraintForce", "SystemPlan", "actuator_forces", "assembly_plan", "forward_dynamics"]
