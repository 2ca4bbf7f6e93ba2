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
from cotree.dynamics.blocks import BlockMatrices, block_matrices
from cotree.dynamics.by_body import body_inertia, energy_by_body, momentum_by_body
from cotree.dynamics.christoffel import christoffel
from cotree.dynamics.forward import ForwardDynamics, forward_dynamics

__all__ = [
    "BlockMatrices",
    "Energy",
    "ForwardDynamics",
    "MassCentre",
    "block_matrices",
    "body_inertia",
    "center_of_mass",
    "christoffel",
    "coriolis_matrix",
    "energy",
    "energy_by_body",
    "forward_dynamics",
    "inverse_dynamics",
    "mass_matrix",
    "momentum",
    "momentum_by_body",
]  # fmt: skip
