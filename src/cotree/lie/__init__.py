"""Lie groups of rigid motions: tuple kernels (modules so3, se3, ...) and their array faces (names here).

Functions that are compiled are loaded when they are first asked for, so that files and models can use the others without
Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cotree.errors import MissingAttributeError
from cotree.lie.matrices import Ad, ad, bracket, cross, hat, inverse, pose, vee

if TYPE_CHECKING:
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
    from cotree.lie.direct_faces import bracket_direct, compose_direct, exp_direct, inverse_direct, log_direct
    from cotree.lie.maps import cay, exp_se3, exp_so3, log_se3, log_so3, quaternion_of, rotation_of_quaternion

_MAPS = ("cay", "exp_se3", "exp_so3", "log_se3", "log_so3", "quaternion_of", "rotation_of_quaternion")
_DIRECT = ("bracket_direct", "compose_direct", "exp_direct", "inverse_direct", "log_direct")

__all__ = [
    "Ad", "ad", "bracket", "bracket_direct", "cay", "compose_direct", "cross", "dcay_spatial", "dcay_spatial_inv", "dexp_body",
    "dexp_body_inv", "dexp_spatial", "dexp_spatial_direct", "dexp_spatial_inv", "dexp_spatial_inv_direct", "exp_direct",
    "exp_se3", "exp_so3", "hat", "inverse", "inverse_direct", "log_direct", "log_se3", "log_so3", "pose", "quaternion_of",
    "rotation_of_quaternion", "vee",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise MissingAttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    home = import_module(
        "cotree.lie.maps" if name in _MAPS else f"cotree.lie.{'direct_faces' if name in _DIRECT else 'differentials'}"
    )
    globals()[name] = found = getattr(home, name)
    return found
