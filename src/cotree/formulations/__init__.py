"""Constrained dynamics: one problem, several formulations."""

from cotree.formulations.actuation import ActuatorForces, actuator_forces
from cotree.formulations.forward import forward_dynamics
from cotree.formulations.reactions import ConstraintForce

__all__ = ["ActuatorForces", "ConstraintForce", "actuator_forces", "forward_dynamics"]
