"""Positions, twists, Jacobians and their derivatives."""

from cotree.kinematics.coordinates import coordinate_rates, displace, normalize
from cotree.kinematics.jacobians import (
    body_jacobian,
    jacobian_derivative,
    jacobian_partials,
    jacobian_second_partials,
    spatial_jacobian,
)
from cotree.kinematics.poses import accelerations, poses, twists

__all__ = [
    "accelerations", "body_jacobian", "coordinate_rates", "displace", "jacobian_derivative", "jacobian_partials",
    "jacobian_second_partials", "normalize", "poses", "spatial_jacobian", "twists",
]  # fmt: skip
