"""Lie groups of rigid motions: tuple kernels (modules so3, se3, ...) and their array faces (names here)."""

from cotree.lie.differentials import (
    dcay_spatial,
    dcay_spatial_inv,
    dexp_body,
    dexp_body_inv,
    dexp_spatial,
    dexp_spatial_direct,
    dexp_spatial_inv,
    dexp_spatial_inv_direct,
)
from cotree.lie.maps import cay, exp_se3, exp_so3, log_se3, log_so3, quaternion_of, rotation_of_quaternion
from cotree.lie.matrices import Ad, ad, bracket, cross, hat, inverse, pose, vee

__all__ = [
    "Ad", "ad", "bracket", "cay", "cross", "dcay_spatial", "dcay_spatial_inv", "dexp_body", "dexp_body_inv", "dexp_spatial",
    "dexp_spatial_direct", "dexp_spatial_inv", "dexp_spatial_inv_direct", "exp_se3", "exp_so3", "hat", "inverse",
    "log_se3", "log_so3", "pose", "quaternion_of", "rotation_of_quaternion", "vee",
]  # fmt: skip
