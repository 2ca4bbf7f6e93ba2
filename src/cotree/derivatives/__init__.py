"""Derivatives of the dynamics, in closed form by Lie brackets in the world frame."""

from cotree.derivatives.energies import energy_derivatives
from cotree.derivatives.forward import forward_dynamics_derivatives
from cotree.derivatives.inverse import inverse_dynamics_derivatives
from cotree.derivatives.parameters.api import parameter_derivatives
from cotree.derivatives.second import inverse_dynamics_second_derivatives

__all__ = [
    "energy_derivatives",
    "forward_dynamics_derivatives",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_second_derivatives",
    "parameter_derivatives",
]
