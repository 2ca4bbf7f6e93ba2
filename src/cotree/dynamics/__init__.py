"""Dynamics of trees: closed forms and recursions, energy and momentum."""

from cotree.dynamics.api import (
    Energy,
    MassCentre,
    center_of_mass,
    coriolis_matrix,
    energy,
    inverse_dynamics,
    mass_matrix,
    momentum,
)
from cotree.dynamics.christoffel import christoffel
from cotree.dynamics.forward import ForwardDynamics, forward_dynamics

__all__ = [
    "Energy",
    "ForwardDynamics",
    "MassCentre",
    "center_of_mass",
    "christoffel",
    "coriolis_matrix",
    "energy",
    "forward_dynamics",
    "inverse_dynamics",
    "mass_matrix",
    "momentum",
]  # fmt: skip
