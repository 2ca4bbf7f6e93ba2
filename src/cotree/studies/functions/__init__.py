"""Equations of motion as functions of plain vectors, with their derivatives: for SciPy, CasADi and JAX."""

from cotree.studies.functions.dynamics import DynamicsFunction, dynamics_function
from cotree.studies.functions.implicit import Jacobian, Residual, jacobian, residual

__all__ = ["DynamicsFunction", "Jacobian", "Residual", "dynamics_function", "jacobian", "residual"]
