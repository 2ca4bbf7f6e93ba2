"""Derivatives of the dynamics, in closed form by Lie brackets in the world frame."""

from cotree.derivatives.forward import forward_dynamics_derivatives
from cotree.derivatives.inverse import inverse_dynamics_derivatives
from cotree.derivatives.parameters.api import parameter_derivatives

__all__ = ["forward_dynamics_derivatives", "inverse_dynamics_derivatives", "parameter_derivatives"]
